import { expect } from 'chai'
import { openPage } from './support/open-page.ts'

/** Processes its input and repeats it in its output and its error. */
const playbook = `apiVersion: tocsin/v1
name: echo
on: { alert: { type: hostile } }
steps:
  - { id: whole, set: { content: "\${{ alert.content }}" } }
  - { id: parsed, set: { data: "\${{ parseJson(alert.content) }}" }, on_error: continue }
  - fail: "\${{ alert.content.size() > 2000 ? 'It is large' : alert.content }}"
`

const deep = 10_000

/** Hostile text, and its expected display: on one line and in full. */
const contents: Readonly<Record<string, readonly [content: string, line: string, whole: string]>> = {
  markup: [
    `"><script>alert(1)</script><img src=x onerror=alert(2)><iframe srcdoc="<script>alert(3)</script>">`,
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(2)>',
  ],
  'a link that runs': [
    '[x](javascript:alert(1)) javascript:alert(2)',
    'javascript:alert(2)',
    'javascript:alert(2)',
  ],
  'text that turns around': ['pay \u202Emoc.live\u202C now', 'pay ‹U+202E›moc.live', 'pay ‹U+202E›moc.live'],
  'what has no width': ['pass\u200B\u200Dword\uFEFF', 'pass‹U+200B›', 'word‹U+FEFF›'],
  'colours of a terminal': ['\u001B[31mred\u001B[0m\u0007', '‹U+001B›[31mred', '‹U+001B›[0m‹U+0007›'],
  'a megabyte': [`start ${'x'.repeat(900_000)}`, 'start xxx', 'start xxx'],
  'a line without end': ['W'.repeat(20_000), 'WWWW', 'WWWW'],
  'deep JSON': [`${'['.repeat(deep)}1${']'.repeat(deep)}`, '[[[[', '[[[['],
  'huge numbers': ['{"n":12345678901234567890,"e":1e400}', '12345678901234567890', '12345678901234567890'],
  'keys that stand twice': ['{"user":"kim","user":"root"}', '"kim","user":"root"', '"user": "kim"'],
  'names that are dangerous in objects': [
    '{"__proto__":{"a":1},"constructor":2}',
    '__proto__',
    '"__proto__"',
  ],
}

const beyond = `document.documentElement.scrollWidth - document.documentElement.clientWidth`

describe('hostile content in a browser', function () {
  this.timeout(90_000)
  const opened = openPage({ echo: playbook })
  afterEach(async () => {
    expect(await opened.page.locator('iframe, img[src=x], main script').count()).to.equal(0)
  })

  for (const [name, [content, line, whole]] of Object.entries(contents)) {
    it(`is shown as text: ${name}`, async () => {
      const { page, visit, go, postAlert, server } = opened
      const id = await postAlert('hostile', content)
      await visit('/alerts')
      const row = page.getByRole('row', { name: id.toUpperCase() })
      await row.waitFor()
      expect(await row.locator('.row-peek').innerText()).to.contain(line)
      expect((await row.boundingBox())?.height).to.equal(40)
      expect(await page.evaluate(beyond), 'pixels beyond the window').to.equal(0)
      await row.locator('.row-peek').click()
      const region = page.getByRole('region', { name: `Content of ${id.toUpperCase()}` })
      await region.waitFor()
      expect(await region.innerText()).to.contain(whole)
      await page.keyboard.press('Escape')

      const { body } = await server.call(`/alerts/${id}`)
      const [run] = body.runs
      await go(`/runs/${run.run_uuid}?step=whole`)
      const output = page.getByRole('region', { name: 'Output of whole' })
      await output.waitFor()
      expect((await output.innerText()).length).to.be.greaterThan(5)
      expect(await page.evaluate(beyond), 'pixels beyond the window').to.equal(0)
      await visit(`/runs/${run.run_uuid}?step=parsed`)
      await page.getByRole('region', { name: 'Step', exact: true }).waitFor()
    })
  }
})
