/** Calls decorators as functions: this file runs as written, while a build would compile the decorator syntax to this. */
export function decorateMethod(type, name, ...decorators) {
  const descriptor = Object.getOwnPropertyDescriptor(type.prototype, name)
  for (const one of decorators) one(type.prototype, name, descriptor)
}

export function decorateParameters(type, name, ...decorators) {
  decorators.forEach((one, at) => one(type.prototype, name, at))
}

export function decorateField(type, name, fieldType, ...decorators) {
  Reflect.defineMetadata('design:type', fieldType, type.prototype, name)
  for (const one of decorators) one(type.prototype, name)
}

/** The types of a constructor's parameters, by which Nest injects. */
export function inject(type, ...types) {
  Reflect.defineMetadata('design:paramtypes', types, type)
}
