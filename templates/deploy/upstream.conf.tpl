# Only the handshakes of WebSockets ask the application for another protocol.
map $http_upgrade $upgrade_to_application {
  default "";
  websocket websocket;
}
map $http_upgrade $connection_to_application {
  default "";
  websocket upgrade;
}

upstream {{packageName}} {
  server {{address}};
  keepalive 64;
  # Shorter than server.keepAliveTimeout, 5 s: the application would otherwise close a connection that nginx reuses.
  keepalive_timeout 4s;
}
