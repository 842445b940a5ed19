/** The data of the measured pages: the thirteen fortunes of the known benchmark, and a table of a thousand rows. */

export interface Fortune {
  readonly id: number
  readonly message: string
}

export interface Row {
  readonly id: number
  readonly name: string
  readonly email: string
  readonly city: string
  readonly active: boolean
}

export const fortunes: readonly Fortune[] = [
  'fortune: No such file or directory',
  "A computer scientist is someone who fixes things that aren't broken.",
  'After enough decimal places, nobody gives a damn.',
  'A bad random number generator: 1, 1, 1, 1, 1, 4.33e+67, 1, 1, 1',
  'A computer program does what you tell it to do, not what you want it to do.',
  'Emacs is a nice operating system, but I prefer UNIX. — Tom Christaensen',
  'Any program that runs right is obsolete.',
  'A list is only as strong as its weakest link. — Donald Knuth',
  'Feature: A bug with seniority.',
  'Computers make very fast, very accurate mistakes.',
  '<script>alert("This should not be displayed in a browser alert box.");</script>',
  'フレームワークのベンチマーク',
  'Additional fortune added at request time.',
].map((message, id) => ({ id, message }))

const cities = ['Tokyo', 'Zürich', 'New York', 'Łódź']

export const rows: readonly Row[] = Array.from({ length: 1000 }, (_, id) => ({
  id,
  name: `Member ${id}${id % 10 ? '' : " O'Neil & sons"}`,
  email: `member${id}@example.com`,
  city: cities[id % cities.length]!,
  active: id % 3 > 0,
}))
