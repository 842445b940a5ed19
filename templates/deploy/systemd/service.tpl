# /etc/systemd/system/{{packageName}}.service; the application is in /srv/{{packageName}}.
# Then: systemctl daemon-reload && systemctl enable --now {{packageName}}.socket {{packageName}}.service
# A new version with the same packages: systemctl reload {{packageName}}; otherwise systemctl restart {{packageName}}
[Unit]
Description={{title}}
After=network-online.target postgresql.service
Wants=network-online.target
Requires={{packageName}}.socket
After={{packageName}}.socket

[Service]
Type=exec
User={{packageName}}
Group={{packageName}}
WorkingDirectory=/srv/{{packageName}}
# SECRET_KEY_BASE, HOSTS, DATABASE_URL and TRUSTED_PROXIES=127.0.0.1; readable for root only.
EnvironmentFile=/etc/{{packageName}}.env
Environment=FW_ENV=production NODE_ENV=production
ExecStartPre=/usr/bin/node node_modules/fwjs/dist/tools/cli/main.js db:migrate
# Listens on the socket above.
ExecStart=/usr/bin/node node_modules/fwjs/dist/tools/cli/main.js start --workers auto
# Replaces the workers one after another.
ExecReload=/bin/kill -HUP $MAINPID
# The primary process stops its workers.
KillMode=mixed
# More than server.shutdownGrace, 20 s.
TimeoutStopSec=30
Restart=always
RestartSec=1
LimitNOFILE=65536
NoNewPrivileges=true
PrivateTmp=true
PrivateDevices=true
ProtectSystem=strict
ProtectHome=true
ProtectKernelTunables=true
ProtectControlGroups=true
RestrictSUIDSGID=true
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
# Other folders are read-only; the application may write these.
ReadWritePaths=-/srv/{{packageName}}/tmp

[Install]
WantedBy=multi-user.target
