/** Writes an attachment for tests. */
import { storeAttachment } from '#model/attachment'

/** Inserts a small text file, and returns its key. */
export const createAttachment = (): Promise<string> =>
  storeAttachment('note.txt', new TextEncoder().encode('data'))
