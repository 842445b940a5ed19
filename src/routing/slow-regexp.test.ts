/** Regular expressions that some path can make slow, and those that none can. */
import { describe, expect, it } from 'vitest'
import { slowRegExp } from './slow-regexp.ts'

describe('slowRegExp', () => {
  it.each([
    /^\/(a+)+$/,
    /^\/(a*)*$/,
    /^(\/?\w+)*$/,
    /^\/(a|a)*$/,
    /^\/(a|ab|b)*$/,
    /^\/(\w|\d)+x/,
    /^\/([a-z]+)*-$/,
    /^\/(?:a{1,}){2,}$/,
    /^\/(x+x+)+y/,
    /^\/(?<n>[ab]|[bc])+$/i,
    /^(\/.*)*x$/,
    /^\/(a+)+(?!b)/,
  ])('exponential: %s', (expression) => {
    expect(slowRegExp(expression)).toContain('exponentially many ways')
  })

  it.each([
    /\d+$/,
    /a.*b/,
    /\/.+\/edit$/,
    /^\/(.+)-(.+)\.html$/,
    /^\/\w*\d+$/,
    /^\/\s*\s*x/,
    /^\/x*x*$/,
    /(\w+)-x/,
    /^\/a{0,200}a{0,200}$/,
    /^\/a|b+c/,
    /^\/[^/]*[\w-]+$/,
    /[\p{L}]+\d/u,
    /[[a-z]--[x]]+y/v,
  ])('polynomial: %s', (expression) => {
    expect(slowRegExp(expression)).toContain('at any of many places')
  })

  it.each([
    /reg(ular)?-ex(pression)?/,
    /^\/fo(.*)\/ba(.*)/,
    /^\/fo(.*)\/ba(.*)$/,
    /^\/x\/(\d+)$/,
    /^\/(\d{4})-(\d{2})$/,
    /^(\/[\w-]+)+$/,
    /\.(jpe?g|png)$/,
    /^\/(?:de|en)\/.*$/,
    /^\/(\w+)-(\w+)$/,
    /^\/a*b*c*$/,
    /^\/[^.]+\.[^.]+$/,
    /^/,
    /$/,
    /(?:)/,
    /^\/\u{61}+x$/u,
    /^\/[\]a]+b$/,
    /^\/\bx\b$/,
    /^\/a(?=b)b+$/,
    /^\/(a+)+/,
    /^(?:\/a|\/b)+$/,
    /x/g,
    /^\/(\d{1,3}\.){3}\d{1,3}$/,
  ])('linear: %s', (expression) => {
    expect(slowRegExp(expression)).toBeUndefined()
  })

  it('says why and how to mend it', () => {
    expect(slowRegExp(/^\/(a+)+$/)).toBe(
      'The regular expression /^\\/(a+)+$/ of a route can match a text in exponentially many ways, so that a long path can make it slow: ' +
        'let no loop repeat what a loop inside it repeats, or use a pattern.',
    )
    expect(slowRegExp(/^\/(a)\1$/)).toContain('refers back to a group')
    expect(slowRegExp(/^\/(?<a>a)\k<a>$/)).toContain('refers back to a group')
  })

  it('gives a search up rather than delay the start', () => {
    const words = Array.from({ length: 30 }, (_, i) => `ab${i}`)
    const loops = Array.from({ length: 30 }, () => '([a-z]+)-')
    const start = performance.now()
    expect(slowRegExp(new RegExp(`^/(${words.join('|')})+$`))).toBeUndefined()
    expect(slowRegExp(new RegExp(`^/${loops.join('')}$`))).toBeUndefined()
    // It takes a fraction of a second; without an end to it, the first takes minutes.
    expect(performance.now() - start).toBeLessThan(30_000)
  })

  it('leaves out what is too large to look at', () => {
    expect(slowRegExp(new RegExp(`${'a'.repeat(200)}.*b`))).toBeUndefined()
  })
})
