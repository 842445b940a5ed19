{{entry}}
  # The application limits the size: upload.maxRequestSize.
  client_max_body_size 0;

  # For a sub-path: location /shop/, without a path in proxy_pass, and contextPath: /shop in application.yml.
  location / {
    proxy_pass http://{{packageName}};
    proxy_http_version 1.1;
    proxy_set_header Upgrade $websocket_upgrade;
    proxy_set_header Connection $connection_upgrade;
    proxy_set_header Host $host;
    # These lines replace what a visitor sends. server.trustedProxies must contain the address of nginx.
    proxy_set_header X-Forwarded-For $remote_addr;
    proxy_set_header X-Forwarded-Proto {{scheme}};
    proxy_set_header X-Forwarded-Host $http_host;
    proxy_set_header X-Request-Id $request_id;
    proxy_connect_timeout 2s;
    # More than server.handlerTimeout, 30 s. A WebSocket without a message for this time is closed.
    proxy_read_timeout 35s;
    proxy_next_upstream error timeout;
    # Streams and server-sent events arrive at once; uploads go to the application while they arrive.
    proxy_buffering off;
    proxy_request_buffering off;
  }
}
