node_modules/
.fw/
db/data/
db/data.lock
tmp/
.env
.env*.local
*.log
