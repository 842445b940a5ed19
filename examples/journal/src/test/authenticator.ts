/** A device with a passkey, for tests: it creates a key, and signs challenges as browsers and their devices do. */
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

interface Options {
  readonly challenge: string
}

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest()
const encode = (data: string | Buffer): string => Buffer.from(data).toString('base64url')

export class Authenticator {
  readonly id = encode(randomBytes(32))
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  readonly #origin: string
  #counter = 0

  constructor(origin = 'http://localhost') {
    this.#origin = origin
  }

  /** Answers the options of a creation. The bytes before the data are CBOR, as WebAuthn defines it. */
  create({ challenge }: Options): string {
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' })
    const key = Buffer.concat([
      Buffer.from('a5010203262001215820', 'hex'),
      Buffer.from(x, 'base64url'),
      Buffer.from('225820', 'hex'),
      Buffer.from(y, 'base64url'),
    ])
    const id = Buffer.from(this.id, 'base64url')
    const length = Buffer.from([0, id.length])
    const data = Buffer.concat([this.#data(0x45), Buffer.alloc(16), length, id, key])
    const start = Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746158', 'hex')
    const attestationObject = encode(Buffer.concat([start, Buffer.from([data.length]), data]))
    const clientDataJSON = this.#clientData('webauthn.create', challenge)
    return this.#credential({ clientDataJSON, attestationObject, transports: ['internal'] })
  }

  /** Answers the options of a login. */
  get({ challenge }: Options): string {
    const clientDataJSON = this.#clientData('webauthn.get', challenge)
    const data = this.#data(0x05)
    const signed = Buffer.concat([data, sha256(Buffer.from(clientDataJSON, 'base64url'))])
    const signature = encode(sign('sha256', signed, this.#keys.privateKey))
    return this.#credential({ clientDataJSON, authenticatorData: encode(data), signature })
  }

  #data(flags: number): Buffer {
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(++this.#counter)
    return Buffer.concat([sha256(new URL(this.#origin).hostname), Buffer.from([flags]), counter])
  }

  #clientData(type: string, challenge: string): string {
    return encode(JSON.stringify({ type, challenge, origin: this.#origin, crossOrigin: false }))
  }

  #credential(response: object): string {
    const ids = { id: this.id, rawId: this.id, type: 'public-key' }
    return JSON.stringify({ ...ids, response, clientExtensionResults: {} })
  }
}
