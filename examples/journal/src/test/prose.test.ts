/** Texts as blocks. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readingMinutes, toBlocks } from '#main/prose'

describe('a text', () => {
  it('has paragraphs, headings, quotations and lists', () => {
    assert.deepEqual(
      toBlocks('One\r\nline.\r\n\r\n## Two\n\n\n> Three\n> four\n\n- five\n- six\n'),
      [
        { kind: 'paragraph', text: 'One line.' },
        { kind: 'heading', text: 'Two' },
        { kind: 'quote', text: 'Three four' },
        { kind: 'list', items: ['five', 'six'] },
      ],
    )
  })

  it('without words has no blocks', () => {
    assert.deepEqual(toBlocks(' \n\n '), [])
  })

  it('takes at least a minute', () => {
    assert.deepEqual([readingMinutes('short'), readingMinutes('word '.repeat(660))], [1, 3])
  })
})
