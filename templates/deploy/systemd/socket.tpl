# /etc/systemd/system/{{packageName}}.socket
# systemd keeps this socket open while the application restarts: connections wait, and none is refused.
[Unit]
Description={{title}} (socket)

[Socket]
ListenStream=127.0.0.1:8080
NoDelay=true

[Install]
WantedBy=sockets.target
