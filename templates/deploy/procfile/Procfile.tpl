release: node node_modules/fwjs/dist/tools/cli/main.js db:migrate
web: node node_modules/fwjs/dist/tools/cli/main.js start --host 0.0.0.0
