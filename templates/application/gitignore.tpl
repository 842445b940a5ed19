node_modules/
.fw/
db/data/
db/data.lock
.env
*.log
