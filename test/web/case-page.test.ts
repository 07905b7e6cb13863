import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { picture, seriousFaults } from './support/browser.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { openPage } from './support/open-page.ts'
import { hasValue } from './support/has-value.ts'

/** Attaches a file with a hostile name and content. */
const plugin = `
export default {
  name: 'keeper', title: 'Keeper', description: 'Keeps.',
  skills: [{
    name: 'keep', title: 'Keep', description: 'Keeps a file.', effect: 'write', repeat: 'safe',
    input: { type: 'object', additionalProperties: false, properties: {} }, output: { type: 'object' },
    examples: [{ title: 'One', input: {}, output: {} }],
    async run(_, { cases }) {
      const bytes = Buffer.from('<script>alert(1)</script>')
      await cases.attachFile(await cases.own(), { name: '<img src=x>.html', contentType: 'text/html', bytes })
      return {}
    },
  }],
}
`
const keeping = `
apiVersion: tocsin/v1
name: keeping
on: { alert: { type: keeping } }
steps: [{ id: keep, uses: keeper.keep }]
`

describe('case page', function () {
  this.timeout(60_000)
  const house = openPage({ keeping }, { plugin })
  let path: string

  before(async () => {
    const id = await house.postAlert('strange_sign_in')
    const { body } = await house.server.call(`/alerts/${id}`)
    path = `/cases/${body.case_id}`
  })

  const choose = async (field: string, value: string): Promise<void> => {
    await house.page.getByRole('combobox', { name: field }).click()
    await house.page.getByRole('option', { name: value }).click()
  }

  it('lists files with their hash, and saves them without showing them', async () => {
    const { page, server } = house
    const { body } = await server.call(`/alerts/${await house.postAlert('keeping')}`)
    await house.visit(`/cases/${body.case_id}`)
    const files = page.getByRole('table', { name: 'Files' })
    const { files: listed } = (await server.call(`/cases/${body.case_id}`)).body
    await files.getByText(listed[0].sha256).waitFor()
    await page.getByText('Files may be malicious').waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    const saving = page.waitForEvent('download')
    await files.getByRole('link', { name: '<img src=x>.html' }).click()
    const saved = await saving
    expect(saved.suggestedFilename()).to.match(/^.img src=x.\.html$/)
    expect(await readFile(await saved.path(), 'utf8')).to.equal('<script>alert(1)</script>')
    const entries = (await server.call('/audit?action=case.file_downloaded')).body.data
    expect(entries[0].details).to.include({ sha256: listed[0].sha256 })
  })

  it('attaches files from the button and by drag and drop, and says why one is not attached', async () => {
    const { page, server } = house
    await house.visit(path)
    const section = page.getByRole('region', { name: 'Files' })
    const folder = await makeTemporaryFolder()
    const chosen = ['notes.txt', '<b>empty<b>.log', 'disk.img'].map((name) => join(folder.path, name))
    for (const [index, bytes] of ['seen', '', Buffer.alloc(33_554_433)].entries())
      await writeFile(chosen[index]!, bytes)
    const choosing = page.waitForEvent('filechooser')
    await section.getByRole('button', { name: 'Attach files' }).focus()
    await page.keyboard.press('Enter')
    await (await choosing).setFiles(chosen)
    await section.getByRole('link', { name: 'notes.txt' }).waitFor()
    await section.getByRole('link', { name: '<b>empty<b>.log' }).waitFor()
    const problem = section.getByRole('alert')
    await problem.getByText(/disk\.img/).waitFor()
    await problem
      .getByText(/It has 32\.0 MB; a file may have 32\.0 MB\..*What to do: attach a part/)
      .waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'case-files')
    await section.getByRole('button', { name: 'Dismiss disk.img' }).click()
    await problem.waitFor({ state: 'detached' })

    const dropped = await page.evaluateHandle(`(() => {
      const data = new DataTransfer()
      data.items.add(new File(['MZ'], 'tool.exe'))
      data.items.add(new File(['seen'], 'copy.txt'))
      return data
    })()`)
    for (const type of ['dragover', 'drop']) await section.dispatchEvent(type, { dataTransfer: dropped })
    await section.getByRole('link', { name: 'tool.exe' }).waitFor()
    await section.getByText('looks like application/vnd.microsoft.portable-executable').waitFor()
    await section.getByText('The case has this content already, as “notes.txt”').waitFor()
    const { body } = await server.call(`${path}/files`)
    expect(body.data.map(({ name }: { name: string }) => name)).to.deep.equal([
      'notes.txt',
      '<b>empty<b>.log',
      'tool.exe',
    ])
    await folder.remove()
  })

  it('withdraws a file with a reason that stays in the case', async () => {
    const { page, server } = house
    const files = `${server.url}/api${path}/files?name=wrong.txt`
    const headers = { authorization: `Bearer ${server.adminKey}` }
    await fetch(files, { method: 'POST', headers, body: 'personal' })
    await house.visit(path)
    await page.getByRole('button', { name: 'Withdraw wrong.txt' }).click()
    const dialog = page.getByRole('dialog', { name: 'Withdraw file' })
    expect(await dialog.getByRole('button', { name: 'Withdraw' }).isDisabled()).to.equal(true)
    await dialog.getByLabel('Reason').fill('wrong case')
    expect(await seriousFaults(page)).to.deep.equal([])
    await dialog.getByRole('button', { name: 'Withdraw' }).click()
    await page.getByText(/Withdrawn by .*wrong case/).waitFor()
    await page.getByText(/wrong.txt was withdrawn, and its content deleted/).waitFor()
    expect(await page.getByRole('link', { name: 'wrong.txt' }).count()).to.equal(0)
  })

  it('saves decisions immediately and records the actor in the timeline', async () => {
    await house.visit(path)
    await choose('Severity', 'Critical')
    await house.page.getByText('severity is now critical').waitFor()
    await house.page.getByRole('button', { name: 'Assign to me' }).click()
    await house.page.getByText(/assignee is now bootstrap/).waitFor()
    const { body } = await house.server.call(path)
    expect(body).to.include({ severity: 'critical', assignee: 'bootstrap' })
  })

  it('shows actors by kind and id, whatever the name of the key', async () => {
    const { page, server } = house
    const { run_uuid: run } = (await server.call(path)).body.runs[0]
    const body = { name: `run ${run}`, role: 'analyst' }
    const { key, key_id: id } = (await server.call('/keys', { method: 'POST', body })).body
    await server.call(`${path}/notes`, { method: 'POST', key, body: { text: 'verified benign' } })
    await house.visit(path)
    const entry = page.locator('[data-kind="note"]').filter({ hasText: 'verified benign' })
    await entry.getByText(`(API key ${id})`).waitFor()
    expect(await entry.getByRole('link').count()).to.equal(0)
    const opened = page.locator('[data-kind="opened"]').getByRole('link')
    expect(await opened.getAttribute('href')).to.equal(`/runs/${run}`)
    await picture(page, 'case-timeline')
  })

  it('shows changes of someone else and does not overwrite them', async () => {
    const { page, server } = house
    await house.visit(path)
    await page.getByRole('heading', { name: 'Decisions' }).waitFor()
    // The page cannot detect it before it saves.
    let hasConflict = false
    await page.route(`**/api${path}`, async (route) => {
      if (route.request().method() === 'PATCH' && !hasConflict) {
        hasConflict = true
        await server.call(path, { method: 'PATCH', body: { status: 'closed', verdict: 'benign' } })
      }
      await route.continue()
    })
    await choose('Verdict', 'Malicious')
    const refusal = page.getByRole('alert').filter({ hasText: 'Someone else changed this case' })
    await refusal.getByText('verdict: now “benign”, yours “malicious”').waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'case-overtaken')
    expect((await server.call(path)).body.verdict).to.equal('benign')
    await refusal.getByRole('button', { name: 'Save mine' }).click()
    await refusal.waitFor({ state: 'detached' })
    const { body } = await server.call(path)
    expect(body).to.include({ verdict: 'malicious', status: 'closed' })
  })

  it('shows a conflict at an edited field and does not overwrite the other change', async () => {
    const { page, server } = house
    await page.unroute(`**/api${path}`)
    await house.visit(path)
    await page.getByRole('combobox', { name: 'Assignee' }).fill('kim')
    await server.call(path, { method: 'PATCH', body: { assignee: 'bo' } })
    await page.getByText('Someone else changed this to “bo”').waitFor()
    await page.getByRole('button', { name: 'Assign', exact: true }).click()
    const refusal = page.getByRole('alert').filter({ hasText: 'Someone else changed this case' })
    await refusal.getByText('assignee: now “bo”, yours “kim”').waitFor()
    await refusal.getByRole('button', { name: 'Discard mine' }).click()
    await refusal.waitFor({ state: 'detached' })
    await hasValue(page.getByRole('combobox', { name: 'Assignee' }), 'bo')
    await page.getByRole('combobox', { name: 'Assignee' }).fill('kim')
    await server.call(path, { method: 'PATCH', body: { assignee: 'bob' } })
    await page.getByText('changed this to “bob”').waitFor()
    await page.getByRole('button', { name: 'Assign', exact: true }).click()
    expect((await server.call(path)).body.assignee).to.equal('bob')
    await refusal.getByRole('button', { name: 'Save mine' }).click()
    await refusal.waitFor({ state: 'detached' })
    expect((await server.call(path)).body.assignee).to.equal('kim')
  })

  it('saves title and summary as plain text', async () => {
    const { page, server } = house
    await house.visit(path)
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Title').fill('<i>Kim</i> from afar')
    await page.getByLabel('Summary', { exact: true }).last().fill('Nothing to see.')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { level: 1, name: '<i>Kim</i> from afar' }).waitFor()
    expect((await server.call(path)).body.summary).to.equal('Nothing to see.')
  })

  it('keeps a typed assignee while another field is saved', async () => {
    const { page } = house
    await house.visit(path)
    await page.getByRole('combobox', { name: 'Assignee' }).fill('kim the analyst')
    await choose('Severity', 'Low')
    await page.getByText('severity is now low').waitFor()
    await hasValue(page.getByRole('combobox', { name: 'Assignee' }), 'kim the analyst')
    await page.getByRole('button', { name: 'Assign to me' }).click()
    await page
      .getByText(/assignee is now bootstrap/)
      .nth(1)
      .waitFor()
    await hasValue(page.getByRole('combobox', { name: 'Assignee' }), 'kim the analyst')
    expect(await page.getByText('Someone else changed this').count()).to.equal(0)
    await page.getByRole('button', { name: 'Assign', exact: true }).click()
    await page.getByText(/assignee is now kim the analyst/).waitFor()
  })

  it('keeps text that is typed while the summary is saved', async () => {
    const { page, server } = house
    await house.visit(path)
    const held = Promise.withResolvers<undefined>()
    await page.route(`**/api${path}`, async (route) => {
      if (route.request().method() === 'PATCH') await held.promise
      await route.continue()
    })
    await page.getByRole('button', { name: 'Edit' }).click()
    const summary = page.getByLabel('Summary', { exact: true }).last()
    await summary.fill('First words')
    const saved = page.waitForResponse((response) => response.request().method() === 'PATCH')
    await page.getByRole('button', { name: 'Save' }).click()
    await summary.press('End')
    await summary.pressSequentially(' and more')
    held.resolve(undefined)
    await saved
    await page.getByText('new summary').nth(1).waitFor()
    await hasValue(summary, 'First words and more')
    await page.unroute(`**/api${path}`)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Edit' }).waitFor()
    expect((await server.call(path)).body.summary).to.equal('First words and more')
  })

  it('reports alerts and runs that retention deleted', async () => {
    const { page } = house
    const about = `**/api${path}`
    await page.route(about, async (route) => {
      const response = await route.fetch()
      const json = { ...(await response.json()), alerts: [], alerts_deleted: 5, runs_deleted: 1 }
      await route.fulfill({ response, json })
    })
    await house.visit(path)
    await page.getByText('5 alerts deleted by retention policy').waitFor()
    await page.getByText('1 run deleted by retention policy').waitFor()
    expect(await page.getByText('No alerts: the run was started manually').count()).to.equal(0)
    await page.unroute(about)
  })

  it('downloads the report', async () => {
    await house.page.getByRole('link', { name: 'Report' }).click()
    const waiting = house.page.waitForEvent('download')
    await house.page.getByRole('link', { name: 'Markdown' }).click()
    const download = await waiting
    expect(download.suggestedFilename()).to.equal('main-1.md')
  })

  it('splits selected alerts to a new case, and merges selected cases', async () => {
    const { page, server } = house
    const [one, two] = [await house.postAlert('odd_mail', 'a'), await house.postAlert('odd_mail', 'b')]
    const caseOf = async (id: string) => (await server.call(`/alerts/${id}`)).body.case_id
    const [kept, other] = [await caseOf(one), await caseOf(two)]
    await house.visit('/cases')
    for (const id of [kept, other])
      await page.getByRole('checkbox', { name: new RegExp(`${id}`, 'i') }).check()
    await page.getByRole('button', { name: 'Merge …' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('radio', { name: kept.toUpperCase() }).check()
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'case-merge')
    await dialog.getByRole('button', { name: 'Merge 2 cases' }).click()
    await page.getByText(`Case ${other} “`).waitFor()
    expect(await caseOf(two)).to.equal(kept)
    await house.visit(`/cases/${other}`)
    await page.getByText(`${other.toUpperCase()} was merged into this case.`).waitFor()
    await page.getByRole('checkbox', { name: `Select ${two.toUpperCase()}` }).check()
    await page.getByRole('button', { name: 'Split to new case …' }).click()
    await page.getByRole('textbox', { name: 'Title of the new case' }).fill('Another mail')
    expect(await seriousFaults(page)).to.deep.equal([])
    await page.getByRole('button', { name: 'Split 1 alert' }).click()
    await page.getByRole('heading', { level: 1, name: /Another mail/ }).waitFor()
    await page.getByRole('link', { name: kept.toUpperCase() }).first().waitFor()
    expect(await caseOf(two)).not.to.be.oneOf([kept, other])
  })

  it('adds and finishes tasks, and links cases in both directions', async () => {
    const { page, server } = house
    const { body } = await server.call(
      `/alerts/${await house.postAlert('strange_sign_in', '{"user":"<b>bo</b>"}')}`,
    )
    const other: string = body.case_id
    await house.visit(path)
    await page.getByRole('button', { name: 'Add task' }).click()
    await page.getByLabel('Task', { exact: true }).fill('<img src=x onerror=alert(1)> call Kim')
    await page.getByRole('combobox', { name: 'Owner' }).fill('bo')
    await page.getByLabel('Due').fill('2020-03-01T14:05')
    expect(await seriousFaults(page)).to.deep.equal([])
    await page.getByRole('button', { name: 'Add task' }).click()
    const task = page.getByRole('checkbox', { name: /call Kim/ })
    await task.waitFor()
    await page.getByText('Overdue').waitFor()
    await page.getByRole('button', { name: 'Link case' }).click()
    await page.getByLabel('Case', { exact: true }).fill('main-999')
    await page.getByRole('button', { name: 'Link', exact: true }).click()
    await page.getByRole('alert').filter({ hasText: 'main-999' }).waitFor()
    await page.getByLabel('Case', { exact: true }).fill(other)
    await page.getByRole('button', { name: 'Link', exact: true }).click()
    await page.getByRole('link', { name: other.toUpperCase() }).first().waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'case-tasks')
    await task.click()
    await page.getByText(/done by bootstrap/).waitFor()
    expect((await server.call(path)).body.tasks[0].done_by.name).to.equal('bootstrap')
    await house.visit(`/cases/${other}`)
    await page.getByRole('button', { name: /^Remove the link with/ }).click()
    await page.getByText('No linked cases').waitFor()
    expect((await server.call(path)).body.links).to.deep.equal([])
  })
})
