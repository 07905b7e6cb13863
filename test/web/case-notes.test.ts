import { expect } from 'chai'
import { hostOf, isShownAsIs, linkTarget } from '../../server/web/parts/markdown-links.ts'
import { isComposed } from '../../server/web/cases/notes/composed-note.ts'
import { mentionBefore, peopleNamed, withMention } from '../../server/web/cases/notes/mention-choice.ts'
import { eventually } from '../support/eventually.ts'
import { picture, seriousFaults } from './support/browser.ts'
import { openPage } from './support/open-page.ts'
import { hasValue } from './support/has-value.ts'

/** Notes as attackers would write them, and what must be readable of each. */
const hostile: Readonly<Record<string, readonly [note: string, shown: string]>> = {
  markup: [
    '<script>alert(1)</script> <img src=x onerror=alert(2)> <b onclick=alert(3)>b</b>',
    '<script>alert(1)</script>',
  ],
  'markup in a block': ['<iframe srcdoc="<script>alert(1)</script>"></iframe>', '<iframe'],
  'links that run': [
    '[a](javascript:alert(1)) [b](JaVaScRiPt:alert(1)) [c](data:text/html,<script>alert(1)</script>) [d](vbscript:x) [e](\u0001javascript:alert(1)) <javascript:alert(1)> [f](/keys) [g](//evil.example) [end](x)',
    'end',
  ],
  'a reference that runs': ['[x][1]\n\n[1]: javascript:alert(1) "t"\n\nend', 'end'],
  'a remote image': [
    '![logo](https://evil.example/track.png) end',
    '[image “logo”: https://evil.example/track.png]',
  ],
  'a link that names another host': ['[https://bank.example](https://evil.example/login)', '(evil.example)'],
  'a host of similar letters': ['[x](https://аpple.example/)', '(xn--'],
  'text that turns around': ['pay \u202Emoc.live\u202C', '‹U+202E›'],
  'deep nesting': [`${'>'.repeat(5_000)} end`, 'end'],
  'deep brackets': [`${'['.repeat(5_000)} end`, 'end'],
  'deep emphasis': [`${'*_'.repeat(2_500)} end`, 'end'],
  'a wide table': [`|${'a|'.repeat(200)}\n|${'-|'.repeat(200)}\n|${'b|'.repeat(200)}\n\nend`, 'end'],
  'a line without end': [`${'W'.repeat(9_000)} end`, 'end'],
  'footnotes and tasks': ['- [x] done\n- [ ] open\n\ntext[^1]\n\n[^1]: <b>note</b> end', 'end'],
}

const asking = `apiVersion: tocsin/v1
name: asking
on: { alert: { type: question } }
steps:
  - id: sure
    checkpoint:
      via: operator
      with: { message: 'Is this real? \${{ alert.content }}' }
      answers: [real, noise]
      timeout: 1h
`

describe('notes of a case', function () {
  this.timeout(120_000)
  const house = openPage()
  let path: string

  before(async () => {
    const { body } = await house.server.call(`/alerts/${await house.postAlert('odd')}`)
    path = `/cases/${body.case_id}`
  })

  const notes = () => house.page.locator('[data-kind="note"]')

  it('are rendered as Markdown, with a preview before', async () => {
    const { page } = house
    await house.visit(path)
    const text =
      '# Findings\n\n- **Kim** was at `ws-7`\n- see [the page](https://docs.example/a)\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\ncode <b>\n```'
    await page.getByLabel('Note').fill(text)
    await page.getByRole('button', { name: 'Preview' }).click()
    const preview = page.getByRole('region', { name: 'Preview' })
    await preview.getByRole('link', { name: 'the page' }).waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await page.getByRole('button', { name: 'Write' }).click()
    await hasValue(page.getByLabel('Note'), text)
    await page.getByRole('button', { name: 'Add note' }).click()
    const note = notes().first()
    await note.getByText('Kim', { exact: true }).waitFor()
    expect(await note.locator('strong, li, td, pre code').count()).to.equal(1 + 2 + 2 + 1)
    expect(await note.getByRole('heading').count()).to.equal(0)
    const link = note.getByRole('link', { name: 'the page' })
    expect(await link.getAttribute('rel')).to.equal('noopener noreferrer nofollow')
    expect(await link.getAttribute('target')).to.equal('_blank')
    expect(await note.innerText()).to.contain('(docs.example)')
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await seriousFaults(page), colorScheme).to.deep.equal([])
      await picture(page, `${colorScheme}/case-note`)
    }
    await page.emulateMedia({ colorScheme: 'light' })
  })

  for (const [name, [text, shown]] of Object.entries(hostile))
    it(`run nothing and load nothing: ${name}`, async () => {
      const { page, server } = house
      const asked: string[] = []
      const listen = (request: { url(): string }) => void asked.push(request.url())
      page.on('request', listen)
      const { status } = await server.call(`${path}/notes`, { body: { text } })
      expect(status).to.equal(201)
      await house.visit(path)
      const note = notes().first()
      await note.waitFor()
      expect(await note.innerText()).to.contain(shown)
      expect(
        await note.locator('script, iframe, img, object, embed, form, style, [onclick], [onerror]').count(),
      ).to.equal(0)
      const hrefs = await note
        .locator('.case-entry a')
        .evaluateAll((links) =>
          links.map((each) =>
            (each as unknown as { getAttribute(name: string): string }).getAttribute('href'),
          ),
        )
      for (const href of hrefs) expect(href).to.match(/^(https?:|mailto:|#)/)
      expect(asked.filter((url) => !url.startsWith(server.url))).to.deep.equal([])
      const beyond = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
      expect(await page.evaluate(beyond), 'pixels beyond the window').to.equal(0)
      page.off('request', listen)
    })

  it('of a playbook are plain text, because alerts may have written them', async () => {
    const { page, server } = house
    const { body } = await server.call(path)
    const source = `apiVersion: tocsin/v1\nname: noting\non: { alert: { type: noted } }\nsteps:\n  - { uses: case.comment, with: { text: "\${{ alert.content }}" } }\n`
    await server.call('/playbooks/noting', { method: 'PUT', body: { source } })
    const { body: alert } = await server.call(
      `/alerts/${await house.postAlert('noted', '**bold** [x](https://evil.example)')}`,
    )
    await house.visit(`/cases/${alert.case_id}`)
    await notes().first().getByText('**bold** [x](https://evil.example)').waitFor()
    expect(await notes().first().locator('.case-entry a').count()).to.equal(0)
    expect(body.case_id).to.not.equal(alert.case_id)
    expect(await page.locator('.markdown').count()).to.equal(0)
  })
})

describe('notes of people', function () {
  this.timeout(120_000)
  const house = openPage({ asking })

  it('are rendered as Markdown, and mention colleagues chosen by keyboard after @', async () => {
    const { page, server } = house
    for (const name of ['Anna Able', 'Ben Baker', 'Bea <b>Cole</b>']) {
      const email = `${name.slice(0, 3).trim()}@example.com`
      const { body } = await server.call('/accounts', { body: { email, name, roles: [{ role: 'analyst' }] } })
      await server.call('/invitation/accept', {
        body: { token: body.invitation_url.split('#')[1], password: 'correct horse battery staple' },
      })
    }
    const { body: alert } = await server.call(`/alerts/${await house.postAlert('odd')}`)
    const { body: link } = await server.call('/accounts/ann@example.com/invitation', { method: 'POST' })
    await page.context().clearCookies()
    await page.goto('about:blank')
    await page.goto(link.invitation_url)
    await page.getByLabel('Password').first().fill('correct horse battery staple')
    await page.getByLabel('Password again').fill('correct horse battery staple')
    await page.getByRole('button', { name: 'Set password and sign in' }).click()
    await page.getByRole('button', { name: 'Signed in as Anna Able' }).waitFor()
    await house.visit(`/cases/${alert.case_id}`)
    await page.getByLabel('Note').focus()
    await page.keyboard.type('**Checked** with @b')
    const people = page.getByRole('listbox', { name: 'People' })
    await people.getByRole('option', { name: 'Ben Baker' }).waitFor()
    expect(await people.getByRole('option').allInnerTexts()).to.deep.equal(['Bea <b>Cole</b>', 'Ben Baker'])
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'case-note-mention')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await people.waitFor({ state: 'hidden' })
    await page.keyboard.type('today, not @nobody')
    expect(await page.getByLabel('Note').inputValue()).to.equal(
      '**Checked** with @Ben Baker today, not @nobody',
    )
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    const note = page.locator('[data-kind="note"]').first()
    await note.getByText('Mentions Ben Baker').waitFor()
    expect(await note.locator('strong').innerText()).to.equal('Checked')
  })

  it('about an answer quote the question as plain text, and the case leads to the question', async () => {
    const { page, server } = house
    const content = '**bold** [sign in](https://evil.example)'
    const asked = { alert_provider: 'custom', organization_code: 'main', alert_type: 'question' }
    const { body } = await server.call('/alerts', { body: { ...asked, alert_content: content } })
    const id = await eventually('the case', async () => {
      const { body: alert } = await server.call(`/alerts/${body.alert_id}`)
      return (alert.case_id as string | null) ?? undefined
    })
    await house.visit(`/cases/${id}`)
    await page.getByText('asking is waiting').getByRole('link', { name: 'open question' }).click()
    await page.getByRole('article').getByText('[sign in](https://evil.example)').waitFor()
    await page.getByRole('article').getByRole('button', { name: 'noise' }).click()
    await page.getByText('Answer recorded').waitFor()
    await house.visit(`/cases/${id}`)
    const note = page.locator('[data-kind="decision"]').first()
    await note.getByText("answered 'noise', to: Is this real?").waitFor()
    expect(await note.innerText()).to.contain(content)
    expect(await note.locator('.markdown').count()).to.equal(0)
  })
})

describe('the choice of whom a note mentions', () => {
  it('begins with an @ that is not within a word', () => {
    expect(mentionBefore('ask @an', 7)).to.deep.equal({ from: 4, query: 'an' })
    expect(mentionBefore('@', 1)).to.deep.equal({ from: 0, query: '' })
    expect(mentionBefore('ask @an later', 7)).to.deep.equal({ from: 4, query: 'an' })
    for (const text of ['kim@example.com', 'ask @an\nthen', `@${'x'.repeat(100)}`, 'none', ''])
      expect(mentionBefore(text, text.length), text).to.equal(undefined)
  })

  it('offers at most eight people, by any of their names', () => {
    const people = [
      'Anna Able',
      'Ben Baker',
      'able@example.com',
      ...Array.from({ length: 9 }, (_, n) => `X ${n}`),
    ]
    expect(peopleNamed(people, 'ABLE')).to.deep.equal(['Anna Able', 'able@example.com'])
    expect(peopleNamed(people, 'x')).to.have.length(8)
    expect(peopleNamed(people, 'anna able was')).to.deep.equal([])
  })

  it('replaces the typed characters', () => {
    expect(withMention('ask @an later', { from: 4, query: 'an' }, 'Anna Able')).to.deep.equal({
      text: 'ask @Anna Able later',
      caret: 15,
    })
  })
})

describe('a decision that an earlier version stored as a note', () => {
  it('is told from what people write', () => {
    for (const text of [
      "answered 'Yes', to: [x](https://evil.example)",
      'filled in the form, to: **x**',
      'decided about step a (b.c), whose outcome was unknown: it happened',
      'The containment by endpoint.isolate (id: **x**) stays in effect until 2026-01-01T00:00:00.000Z.',
    ])
      expect(isComposed(text), text).to.equal(true)
    for (const text of ['Kim answered', '**Checked** it', 'It stays in effect', ''])
      expect(isComposed(text), text).to.equal(false)
  })
})

describe('links in Markdown', () => {
  it('lead to web addresses and mail only', () => {
    for (const href of ['https://a.example/x', 'http://a.example', 'mailto:kim@a.example'])
      expect(linkTarget(href)).to.equal(href)
    for (const href of [
      'javascript:alert(1)',
      ' javascript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      '/keys',
      '//evil.example',
      '#x',
      '',
      'blob:https://a.example/1',
      'x',
    ])
      expect(linkTarget(href), href).to.equal('')
  })

  it('name their host in ASCII', () => {
    expect(hostOf('https://user:pw@evil.example:8443/https://bank.example')).to.equal('evil.example:8443')
    expect(hostOf('https://аpple.example/')).to.match(/^xn--/)
    expect(hostOf('x')).to.equal('')
  })

  it('and everything else of a text with absurd nesting or length are shown as they are', () => {
    for (const text of ['>'.repeat(100), '- '.repeat(100), '['.repeat(5_000), 'x'.repeat(20_001)])
      expect(isShownAsIs(text)).to.equal(true)
    expect(isShownAsIs('> a\n\n- b\n- **c**')).to.equal(false)
  })
})

describe('the report of a case', function () {
  this.timeout(120_000)
  const house = openPage()

  it('is a page to print, with everything as in the Markdown report, and nothing of others rendered', async () => {
    const { page, server } = house
    const { body } = await server.call(`/alerts/${await house.postAlert('odd', '{"user":"<b>kim</b>"}')}`)
    const path = `/cases/${body.case_id}`
    const text = '# Owned\n\n[click](https://evil.example) ![x](https://evil.example/x.png)'
    await server.call(`${path}/notes`, { body: { text } })
    const closing = {
      status: 'closed',
      closing_reason: 'true_positive',
      resolution: '<script>alert(1)</script>',
    }
    await server.call(path, { method: 'PATCH', body: closing, headers: { 'if-match': '*' } })
    await house.visit(path)
    await page.getByRole('link', { name: 'Report' }).click()
    const report = page.getByRole('article')
    await report.getByRole('heading', { level: 1 }).waitFor()
    const shown = await report.innerText()
    for (const part of [
      'Actions taken',
      'true positive',
      '<script>alert(1)</script>',
      '[click](https://evil.example)',
      '<b>kim</b>',
    ])
      expect(shown).to.contain(part)
    expect(await report.locator('a, img, script, b').count()).to.equal(0)
    expect(await report.getByRole('heading', { name: 'Owned' }).count()).to.equal(0)
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [390, 1024, 1600]) {
        await page.setViewportSize({ width, height: 860 })
        await page.emulateMedia({ colorScheme })
        expect(await seriousFaults(page), `${colorScheme} ${width}`).to.deep.equal([])
        await picture(page, `${colorScheme}/case-report-${width}`)
      }
    await page.emulateMedia({ colorScheme: 'dark', media: 'print' })
    expect(await page.getByRole('navigation').count()).to.equal(0)
    expect(await page.getByRole('button', { name: /^Print/ }).count()).to.equal(0)
    const color = `getComputedStyle(document.querySelector('article')).color + getComputedStyle(document.body).backgroundColor`
    expect(await page.evaluate(color)).to.equal('rgb(0, 0, 0)rgb(255, 255, 255)')
    const code = `getComputedStyle(document.querySelector('article pre')).backgroundColor`
    expect(await page.evaluate(code)).to.equal('rgb(238, 238, 238)')
    await picture(page, 'case-report-print')
    const pdf = await page.pdf({ format: 'A4' })
    expect(pdf.subarray(0, 5).toString()).to.equal('%PDF-')
    expect(pdf.length).to.be.above(5_000)
    await page.emulateMedia({ colorScheme: 'light', media: 'screen' })
    await page.setViewportSize({ width: 1280, height: 860 })
    const { data } = (await server.call('/audit?action=case.exported')).body
    expect(data[0].subject.id).to.equal(body.case_id)
  })

  it('of a case that does not exist says so', async () => {
    const { page } = house
    await house.visit('/cases/main-999/report')
    await page.getByRole('link', { name: 'Go to the list' }).waitFor()
  })
})
