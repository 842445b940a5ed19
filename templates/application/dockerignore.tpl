.git
.github
.fw
node_modules
db/data
db/data.lock
.env
src/test
