# Include it in the section http of /etc/nginx/nginx.conf: /etc/nginx/conf.d/{{packageName}}.conf
{{upstream}}
{{server}}
