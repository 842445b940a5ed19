# Forwards the Upgrade header of WebSocket handshakes only; other upgrade requests are served as HTTP/1.1.
map $http_upgrade $websocket_upgrade {
  default "";
  websocket websocket;
}
map $http_upgrade $connection_upgrade {
  default "";
  websocket upgrade;
}

upstream {{packageName}} {
  server {{address}};
  keepalive 64;
  # Shorter than server.keepAliveTimeout, 5 s: the application would otherwise close a connection that nginx reuses.
  keepalive_timeout 4s;
}
