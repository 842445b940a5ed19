node_modules/
.fw/
db/data/
db/data.lock
tmp/
.env
*.log
