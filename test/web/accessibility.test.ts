import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { signIn } from './support/page-server.ts'
import { eventually } from '../support/eventually.ts'
import { picture, seriousFaults, settled } from './support/browser.ts'
import { openPage } from './support/open-page.ts'

const asking = `apiVersion: tocsin/v1
name: asking
on: { alert: { type: question }, manual: true }
steps:
  - id: sure
    checkpoint:
      via: operator
      with: { message: Is this alert real? }
      answers: [yes, no]
      timeout: 1h
`

const failing = `apiVersion: tocsin/v1
name: failing
on: { alert: { type: broken } }
steps:
  - id: asked
    set: { n: 1 }
  - fail: The other system said no
`

/** A view of the page, and the dialog opened in it. */
interface Place {
  readonly name: string
  readonly path: string
  readonly open?: (page: Page) => Promise<unknown>
  /** What it opens. Default: a dialog. */
  readonly shows?: string
}

const click = (name: string) => (page: Page) => page.getByRole('button', { name }).first().click()

const manage = (item: string) => async (page: Page) => {
  await page.getByRole('button', { name: 'Manage' }).first().click()
  await page.getByRole('menuitem', { name: item }).click()
}

/** All views that differ visually. `RUN` stands for the id of a run. */
const places: readonly Place[] = [
  { name: 'containments', path: '/containments' },
  { name: 'tasks', path: '/tasks' },
  { name: 'alerts', path: '/alerts' },
  { name: 'alert', path: '/alerts/main-custom-1' },
  {
    name: 'alert-content',
    path: '/alerts',
    async open(page) {
      await page.getByRole('row').nth(1).focus()
      await page.keyboard.press('c')
    },
  },
  { name: 'cases', path: '/cases' },
  { name: 'case', path: '/cases/main-1' },
  { name: 'case-report', path: '/cases/main-1/report' },
  { name: 'case-edited', path: '/cases/main-1', open: click('Edit'), shows: 'button:has-text("Discard")' },
  { name: 'runs', path: '/runs' },
  { name: 'run', path: '/runs/RUN' },
  { name: 'run-retried', path: '/runs/RUN', open: click('Retry from failed step') },
  { name: 'checkpoints', path: '/checkpoints' },
  { name: 'playbooks', path: '/playbooks' },
  { name: 'playbook', path: '/playbooks/asking' },
  { name: 'playbook-draft-discarded', path: '/playbooks/asking/draft', open: click('Discard draft') },
  { name: 'playbook-drafts', path: '/playbooks', open: click('Drafts (1)') },
  { name: 'playbook-published', path: '/playbooks/asking/draft', open: click('Publish') },
  { name: 'connections', path: '/connections' },
  { name: 'playbook-draft', path: '/playbooks/asking/draft' },
  { name: 'connections-new', path: '/connections/new' },
  { name: 'connection-new', path: '/connections/new?plugin=messaging' },
  {
    name: 'connection',
    path: '/connections/chat',
    open: click('Show manifest'),
    shows: '[aria-label=Manifest]',
  },
  { name: 'connection-deleted', path: '/connections/chat', open: click('Delete') },
  { name: 'catalogue', path: '/catalogue' },
  { name: 'catalogue-plugins', path: '/catalogue/plugins' },
  { name: 'catalogue-plugin', path: '/catalogue/plugins/endpoint_security' },
  { name: 'catalogue-skill', path: '/catalogue/skills/endpoint_security.isolate_machine' },
  { name: 'health', path: '/health' },
  { name: 'health-paused', path: '/health', open: click('Pause all runs') },
  { name: 'people', path: '/people' },
  { name: 'person-new', path: '/people', open: click('Invite person') },
  { name: 'roles', path: '/people/roles' },
  { name: 'role-new', path: '/people/roles', open: click('New role') },
  { name: 'me', path: '/me' },
  { name: 'keys', path: '/keys' },
  { name: 'key-new', path: '/keys?new=yes' },
  { name: 'key-revoked', path: '/keys', open: manage('Revoke') },
  { name: 'key-rotated', path: '/keys', open: manage('Rotate') },
  { name: 'key-changed', path: '/keys', open: manage('Owner and addresses') },
  { name: 'organizations', path: '/organizations' },
  { name: 'organization-new', path: '/organizations', open: click('New organization') },
  { name: 'organization-approvals', path: '/organizations', open: click('Approvals') },
  { name: 'organization-targets', path: '/organizations', open: click('Targets') },
  { name: 'organization-renamed', path: '/organizations', open: click('Rename') },
  { name: 'providers', path: '/providers' },
  { name: 'connection-token', path: '/connections/chat', open: click('Rotate token') },
  { name: 'audit', path: '/audit' },
  { name: 'audit-entry', path: '/audit', open: (page) => page.getByRole('row').nth(1).click() },
  { name: 'palette', path: '/audit', open: click('Search or jump to') },
  { name: 'shortcuts', path: '/audit', open: (page) => page.keyboard.press('Shift+?') },
  { name: 'person', path: '/audit', open: click('Signed in as'), shows: '[role=menu]' },
  { name: 'list-columns', path: '/runs', open: click('Columns') },
  { name: 'list-saved', path: '/runs?status=failed', open: click('Saved') },
  { name: 'retry-all', path: '/runs?status=failed&playbook=failing', open: click('Retry all matching …') },
  { name: 'nothing', path: '/alerts/nobody-knows-1' },
]

/** Notes each dialog that has no name when it is inserted: a screen reader may announce it at once. */
const noteUnnamed = `(() => {
  const unnamed = (globalThis.unnamedDialogs = [])
  const isNamed = (dialog) =>
    (dialog.getAttribute('aria-label') ?? document.getElementById(dialog.getAttribute('aria-labelledby'))?.textContent ?? '') !== ''
  new MutationObserver((changes) => {
    for (const added of changes.flatMap(({ addedNodes }) => [...addedNodes])) {
      const dialogs = added instanceof Element ? [added, ...added.querySelectorAll('*')] : []
      for (const dialog of dialogs.filter((each) => each.matches('[role=dialog], [role=alertdialog]')))
        if (!isNamed(dialog)) unnamed.push(dialog.textContent.slice(0, 200))
    }
  }).observe(document, { childList: true, subtree: true })
})()`

/** Waits until the heading changes: the previous view is gone. */
async function replaceView(page: Page, act: () => Promise<unknown>): Promise<void> {
  const heading = `document.querySelector('#view h1')?.textContent ?? ''`
  const before = await page.evaluate(heading)
  await act()
  await eventually('another heading', async () => {
    const now = await page.evaluate(heading)
    return now !== before && now !== '' ? now : undefined
  })
}

describe('accessibility of the page', function () {
  this.timeout(60_000)
  const house = openPage({ asking, failing })
  let run: string

  before(async () => {
    const { server } = house
    await house.postAlert('strange_sign_in')
    const failed = await house.postAlert('broken')
    await server.call('/playbooks/asking/runs', { body: { organization_code: 'main' } })
    const { hash } = (await server.call('/playbooks/asking')).body
    const draft = { source: `${asking}# proposed\n`, base_hash: hash, note: 'Ask less often' }
    await server.call('/playbooks/asking/draft', { method: 'PUT', body: draft })
    const settings = { channel_name: '#security' }
    const body = { organization_code: 'main', name: 'chat', plugin: 'messaging', settings }
    await server.call('/connections', { body })
    run = (await server.call(`/runs?alert=${failed}`)).body.data[0].run_uuid
    await house.page.addInitScript(noteUnnamed)
    await house.visit('/alerts')
  })

  // Views without dialogs do not affect the next view.
  const [opening = [], plain = []] = [true, false].map((opens) =>
    places.filter(({ open }) => (open !== undefined) === opens),
  )
  let isLoaded = false
  for (const { name, path, open, shows = '[role=dialog]' } of [...plain, ...opening])
    it(`has no serious axe violations, light and dark:  ${name}`, async () => {
      const { page } = house
      await page.emulateMedia({ colorScheme: 'light' })
      const address = path.replace('RUN', run)
      if (open === undefined && isLoaded && !path.includes('?'))
        await replaceView(page, () => house.go(address))
      else await house.visit(address)
      isLoaded = true
      await settled(page)
      await open?.(page)
      // The code of many dialogs is loaded when they are opened.
      if (open !== undefined) await page.locator(shows).first().waitFor()
      await settled(page)
      expect(await seriousFaults(page)).to.deep.equal([])
      expect(await page.evaluate('unnamedDialogs')).to.deep.equal([])
      await picture(page, `light/${name}`)
      await page.emulateMedia({ colorScheme: 'dark' })
      // The same elements in other colours.
      expect(await seriousFaults(page, ['color-contrast', 'link-in-text-block']), 'dark').to.deep.equal([])
      await picture(page, `dark/${name}`)
    })

  it('has no serious axe violations before sign-in', async () => {
    const { page } = house
    const found: string[] = []
    await page.context().clearCookies()
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme })
      await house.visit('/alerts')
      await signIn(page, 'toc_000000000000_wrong')
      await page.getByRole('alert').waitFor()
      found.push(...(await seriousFaults(page)))
      await picture(page, `${scheme}/sign-in`)
    }
    expect(found).to.deep.equal([])
  })
})
