/** The recording on the first page: commands with their output, and pictures of pages, in the order of the tutorial. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Picture } from './pictures.ts'

/** A frame of the recording: a terminal or a page. */
export interface Frame {
  readonly caption: string
  /** What a terminal shows. */
  readonly terminal?: string
  readonly picture?: Picture
  /** What the picture shows, for readers who do not see it. */
  readonly description?: string
}

/** The folder of the pictures, and of the texts that the test of the pictures has recorded with them. */
const folder = 'docs/images'

/** The first command of the tutorial that generates pages. */
export const firstScaffold =
  'scaffold items item name:String description:text? price:decimal:8,2 photo:attachment?'

/** How many lines of a command's output are shown. */
const maxLines = 9

/** Returns the frames; none in the package, which contains no pictures. */
export function readFrames(
  root: string,
  find: (path: string) => Picture | undefined,
): readonly Frame[] {
  const file = join(root, folder, 'recording.json')
  if (!existsSync(file)) return []
  const texts = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, string>>
  const terminal = (caption: string, command: string, output: string): Frame => ({
    caption,
    terminal: `$ ./fw ${command}\n${shorten(texts[output]!)}`,
  })
  const page = (caption: string, name: string, description: string): Frame[] => {
    const picture = find(`${folder}/${name}.png`)
    return picture === undefined ? [] : [{ caption, picture, description }]
  }
  return [
    terminal(
      'One command creates a table with pages, an API and tests.',
      `g ${firstScaffold}`,
      'scaffold',
    ),
    ...page(
      'The list has a search, pages and links that sort it.',
      'items',
      'A page with the items Canoe, Kayak and Tandem, their prices, a search, and links to edit and delete',
    ),
    ...page(
      'Constraints of the database become messages of the form.',
      'overlap',
      'The form of a new booking: “Item overlaps another record”, in red below the item',
    ),
    ...page(
      'A page of your own, from the tutorial.',
      'availability',
      'A search by two days, with the free items below',
    ),
    ...page(
      'A mistake leads to its line, the request and its SQL.',
      'error',
      'A page in development: “booking.price.toFixed is not a function” above the marked line of code',
    ),
    terminal('One command turns the failed request into a test.', 'test:from-error', 'from-error'),
  ]
}

/** Shortens an output to the lines about files, and the messages at its end. */
function shorten(output: string): string {
  const lines = output.split('\n').filter((line) => !/^\s/.test(line))
  const shown = lines.slice(0, maxLines)
  return [...shown, ...(lines.length > maxLines ? ['…'] : [])].join('\n').trim()
}
