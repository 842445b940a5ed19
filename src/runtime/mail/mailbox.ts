/** Mailboxes, which keep mails instead of sending them: in memory for tests, in a folder for development. */
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Mail, MailFile } from './message.ts'
import type { Delivery, MailTransport } from './transport.ts'

const delivered: Delivery = { refused: [] }

/** Keeps mails in memory. */
export class MemoryMailbox implements MailTransport {
  readonly mails: Mail[] = []

  send(mail: Mail): Promise<Delivery> {
    this.mails.push(mail)
    return Promise.resolve(delivered)
  }

  close(): void {}
}

/** The number of mails that a folder keeps. */
const maxMails = 200
/** The milliseconds after which an unfinished mail is that of a process that was killed. */
const longestWrite = 60_000
const unfinishedSuffix = '.tmp'
const keyText = /^[\da-z]{1,16}-[\da-f]{12}$/

/** What the list of a mailbox shows of a mail. The key is part of its URL. */
export interface MailSummary extends Pick<Mail, 'date' | 'to' | 'subject'> {
  readonly key: string
}

/**
 * Keeps the newest mails in a folder, so that they survive a restart. Each mail is a folder with two files: a summary, which the list
 * reads, and the whole mail.
 */
export class FolderMailbox implements MailTransport {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  async send(mail: Mail): Promise<Delivery> {
    const now = Date.now()
    const key = `${formatTime(now)}-${randomBytes(6).toString('hex')}`
    const unfinished = join(this.#folder, key + unfinishedSuffix)
    await mkdir(unfinished, { recursive: true })
    const { date, to, subject } = mail
    await writeFile(join(unfinished, 'summary.json'), JSON.stringify({ date, to, subject }))
    await writeFile(join(unfinished, 'mail.json'), serializeMail(mail))
    await rename(unfinished, join(this.#folder, key))
    for (const old of (await this.keys()).slice(maxMails)) await this.#remove(old)
    const abandonedBefore = formatTime(now - longestWrite)
    for (const name of await this.#names())
      if (name.endsWith(unfinishedSuffix) && name < abandonedBefore) await this.#remove(name)
    return delivered
  }

  #names(): Promise<readonly string[]> {
    return readdir(this.#folder).catch(() => [])
  }

  /** Returns the keys of all mails, newest first. */
  async keys(): Promise<readonly string[]> {
    return (await this.#names())
      .filter((name) => keyText.test(name))
      .sort()
      .reverse()
  }

  /** Returns the newest mails, or those that are older than the mail with the key `before`. */
  async list(limit: number, before?: string): Promise<readonly MailSummary[]> {
    const keys = await this.keys()
    const chosen = before === undefined ? keys : keys.filter((key) => key < before)
    const found = await Promise.all(chosen.slice(0, limit).map((key) => this.#readSummary(key)))
    return found.filter((summary) => summary !== undefined)
  }

  async #readSummary(key: string): Promise<MailSummary | undefined> {
    const text = await this.#read(key, 'summary.json')
    if (text === undefined) return undefined
    const stored = JSON.parse(text) as Omit<MailSummary, 'key'>
    return { ...stored, key, date: new Date(stored.date) }
  }

  /** Returns the mail with this key; undefined if there is none. */
  async find(key: string): Promise<Mail | undefined> {
    if (!keyText.test(key)) return undefined
    const text = await this.#read(key, 'mail.json')
    return text === undefined ? undefined : parseMail(text)
  }

  /** Deletes all mails. */
  async clear(): Promise<void> {
    for (const key of await this.keys()) await this.#remove(key)
  }

  #read(key: string, file: string): Promise<string | undefined> {
    return readFile(join(this.#folder, key, file), 'utf8').catch(() => undefined)
  }

  #remove(name: string): Promise<void> {
    return rm(join(this.#folder, name), { recursive: true, force: true })
  }

  close(): void {}
}

/** Formats milliseconds since 1970 so that texts have the order of their times. */
const formatTime = (millis: number): string => millis.toString(36).padStart(9, '0')

const serializeMail = (mail: Mail): string =>
  JSON.stringify({
    ...mail,
    attachments: mail.attachments.map((file) => ({
      ...file,
      content: Buffer.from(file.content).toString('base64'),
    })),
  })

function parseMail(text: string): Mail {
  const stored = JSON.parse(text) as Omit<Mail, 'attachments'> & {
    readonly attachments: readonly StoredFile[]
  }
  return {
    ...stored,
    date: new Date(stored.date),
    attachments: stored.attachments.map((file) => ({
      ...file,
      content: Buffer.from(file.content, 'base64'),
    })),
  }
}

type StoredFile = Omit<MailFile, 'content'> & { readonly content: string }
