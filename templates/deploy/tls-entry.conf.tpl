server {
  listen {{port}};
  server_name _;
  # certbot renew --webroot -w /var/www/html writes its proofs here.
  location /.well-known/acme-challenge/ {
    root /var/www/html;
  }
  location / {
    return 308 https://$host$request_uri;
  }
}

server {
  # TLS ends here. For a proxy in front that ends TLS: fw g deploy {{target}} --behind, with the proxy's addresses.
  listen {{tlsPort}} ssl http2;
  server_name _;
  ssl_certificate {{certificate}};
  ssl_certificate_key {{certificateKey}};
  ssl_protocols TLSv1.2 TLSv1.3;
  ssl_session_cache shared:tls:10m;
