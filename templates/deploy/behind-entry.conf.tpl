# TLS ends in a proxy in front, {{behind}}. Only that proxy may say that a visitor used https.
geo $realip_remote_addr $is_front {
  default 0;
  {{behind}} 1;
}
map "$is_front $http_x_forwarded_proto" $visitor_scheme {
  default http;
  "1 https" https;
}

server {
  listen {{port}};
  server_name _;
  # The visitor's address is the last one in X-Forwarded-For that is not the proxy's.
  set_real_ip_from {{behind}};
  real_ip_header X-Forwarded-For;
  real_ip_recursive on;
