{
  "name": "{{packageName}}",
  "version": "0.1.0",
  "private": true,
  "type": "module",
  "engines": {
    "node": ">=22.18.0"
  },
  "imports": {
    "#controller/*": "./src/main/controller/*.ts",
    "#model/*": "./src/main/model/*.ts",
    "#main/*": "./src/main/*.ts",
    "#test/*": "./src/test/*.ts"
  },
  "dependencies": {
    "fwjs": "{{fwjs}}"
  },
  "devDependencies": {
    "@types/node": "24.19.2",
    "typescript": "7.0.2"
  }
}
