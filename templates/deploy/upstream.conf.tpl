upstream {{packageName}} {
  server {{address}};
  keepalive 64;
  # Shorter than server.keepAliveTimeout, 5 s: the application would otherwise close a connection that nginx reuses.
  keepalive_timeout 4s;
}
