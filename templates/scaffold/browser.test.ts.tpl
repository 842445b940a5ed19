/** {{title}} in a browser, with and without JavaScript. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testApp, testBrowser } from 'fwjs/testing'
import { Bootstrap } from '#main/bootstrap'
{{factories}}

const app = await testApp(Bootstrap)
const browser = await testBrowser(app)
{{picture}}

describe('{{words}} in a browser', { skip: browser.skip }, () => {
  for (const javaScriptEnabled of [true, false])
    it(`can be added, edited and deleted; JavaScript: ${javaScriptEnabled}`, async () => {
      {{user}}
      {{inputs}}
      const page = await browser.open({{path}}, { javaScriptEnabled, as{{as}} })
      const status = page.getByRole('status')
      await page.getByRole('link', { name: {{addText}} }).click()
      {{steps}}
      await page.getByRole('button', { name: {{saveText}} }).click()
      assert.equal(await status.innerText(), {{createdText}})

      await page.getByRole('link', { name: {{editText}} }).click()
      {{repeatedSteps}}
      await page.getByRole('button', { name: {{saveText}} }).click()
      assert.equal(await status.innerText(), {{updatedText}})

      await page.getByText({{deleteText}}, { exact: true }).click()
      await page.getByRole('button', { name: {{reallyText}} }).click()
      assert.equal(await status.innerText(), {{deletedText}})
      assert.equal(await page.locator('.empty').innerText(), {{emptyText}})
    })
})
