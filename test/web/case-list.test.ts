import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { organizationOf, piecesOf, undoRequests } from '../../server/web/cases/list/bulk-changes.ts'
import { nextTarget, targetState } from '../../server/web/cases/due.ts'
import { extendedList, neighboursOf } from '../../server/web/cases/list/neighbours.ts'
import { movedTitle, readColumns, shownColumns } from '../../server/web/lists/columns/chosen-columns.ts'
import { rowsBetween } from '../../server/web/lists/rows.ts'
import { picture, seriousFaults } from './support/browser.ts'
import { openPage } from './support/open-page.ts'

const quiet = `
apiVersion: tocsin/v1
name: quiet
on: { alert: { type: quiet } }
steps: [{ uses: case.update, with: { severity: low } }]
`
/** Widths of a phone, a small and a large screen. */
const widths = [390, 1024, 1600] as const

/** Runs in the page. */
const hasFocus = (element: unknown) =>
  (globalThis as unknown as { document: { activeElement: unknown } }).document.activeElement === element

describe('the list of cases', function () {
  this.timeout(120_000)
  const house = openPage({ quiet })
  let clicks = 0

  before(async () => {
    await house.page.exposeFunction('countClick', () => void clicks++)
    await house.page.addInitScript(
      `addEventListener('click', ({ isTrusted }) => isTrusted && countClick(), { capture: true })`,
    )
    for (let n = 0; n < 30; n++) await house.postAlert('quiet', `{"n":${n}}`)
  })

  const openCases = async (): Promise<number> =>
    (await house.server.call('/cases?active=true&limit=1')).body.total
  const toolbar = () => house.page.getByRole('toolbar', { name: 'Selected cases' })
  const result = () => house.page.getByRole('status', { name: 'Result' })

  it('closes 30 chosen cases with at most 5 clicks, and undoes it', async () => {
    const { page, server } = house
    await house.visit('/cases')
    await page.getByRole('row', { name: /MAIN-30/ }).waitFor()
    clicks = 0
    await page.getByRole('checkbox', { name: 'Select main-30' }).click()
    await page.getByRole('grid').press('End')
    await page.getByRole('checkbox', { name: 'Select main-1', exact: true }).click({ modifiers: ['Shift'] })
    await toolbar().getByText('30 selected').waitFor()
    await toolbar().getByRole('button', { name: 'Close …' }).click()
    await page.getByRole('radio', { name: 'False positive' }).click()
    await picture(page, 'cases-close')
    expect(await seriousFaults(page)).to.deep.equal([])
    await page.getByRole('button', { name: 'Close 30 cases' }).click()
    await result().getByText('Closed 30 cases').waitFor()
    expect(await openCases()).to.equal(0)
    expect(clicks).to.be.at.most(5)
    const { data } = (await server.call('/cases?closing_reason=false_positive&limit=100')).body
    expect(data).to.have.length(30)
    await picture(page, 'cases-closed')
    await result().getByRole('button', { name: 'Undo' }).click()
    await result().getByText('Restored 30 cases').waitFor()
    expect(await openCases()).to.equal(30)
    await result().getByRole('button', { name: 'Dismiss' }).click()
  })

  it('shows which cases were not changed because someone else changed them', async () => {
    const { page, server } = house
    await house.visit('/cases')
    await page.getByRole('checkbox', { name: 'Select main-7' }).click()
    await page.getByRole('checkbox', { name: 'Select main-8' }).click()
    await toolbar().getByRole('button', { name: 'Close …' }).click()
    await page.getByRole('radio', { name: 'Duplicate' }).click()
    await server.call('/cases/main-8', {
      method: 'PATCH',
      body: { severity: 'critical' },
      headers: { 'if-match': '*' },
    })
    await page.getByRole('button', { name: 'Close 2 cases' }).click()
    await result().getByText('Closed 1 case').waitFor()
    await result().getByRole('button', { name: '1 not changed' }).click()
    const dialog = page.getByRole('dialog', { name: '1 case not changed' })
    await dialog.getByText('someone else changed main-8 since you read it').waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'cases-refused')
    expect((await server.call('/cases/main-8')).body.status).to.equal('open')
    await page.keyboard.press('Escape')
    await result().getByRole('button', { name: 'Undo' }).click()
    await result().getByText('Restored 1 case').waitFor()
  })

  it('is worked by keyboard alone: select, assign, open, and go to the next case', async () => {
    const { page, server } = house
    await house.visit('/cases?sort=created_at')
    await page.getByRole('row', { name: /MAIN-1 / }).waitFor()
    const focusedRow = page.locator('[role=row]:focus')
    for (let presses = 0; presses < 60 && (await focusedRow.count()) === 0; presses++)
      await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Shift+Space')
    await toolbar().getByText('3 selected').waitFor()
    const assign = page.getByRole('button', { name: 'Assign to me' })
    for (let presses = 0; presses < 60; presses++) {
      await page.keyboard.press('Shift+Tab')
      if (await assign.evaluate(hasFocus)) break
    }
    await page.keyboard.press('Enter')
    await result().getByText('Assigned 3 cases').waitFor()
    expect((await server.call('/cases/main-3')).body.assignee).to.equal('bootstrap')
    expect(await result().evaluate(hasFocus)).to.equal(true)
    for (let presses = 0; presses < 60 && (await focusedRow.count()) === 0; presses++)
      await page.keyboard.press('Tab')
    await page.keyboard.press('Home')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: /MAIN-1 / }).waitFor()
    await page.getByText('1 of 30').waitFor()
    await page.keyboard.press('j')
    await page.getByRole('heading', { level: 1, name: /MAIN-2 / }).waitFor()
    await page.keyboard.press('k')
    await page.getByRole('heading', { level: 1, name: /MAIN-1 / }).waitFor()
    await page.getByRole('link', { name: 'Next case' }).click()
    await page.getByRole('heading', { level: 1, name: /MAIN-2 / }).waitFor()
    await page.getByRole('link', { name: '2 of 30' }).click()
    await eventually('the list', async () => new URL(page.url()).search === '?sort=created_at' || undefined)
  })

  it('continues with the next page after the last loaded case', async () => {
    const { page, server } = house
    await house.visit('/cases')
    await page.getByRole('row', { name: /MAIN-30/ }).waitFor()
    const { body } = await server.call('/cases?limit=2')
    const list = {
      search: '',
      ids: body.data.map((found: { case_id: string }) => found.case_id),
      total: body.total,
      cursor: body.next_cursor,
    }
    const remember = `sessionStorage.setItem('tocsin.cases.list', ${JSON.stringify(JSON.stringify(list))})`
    await page.evaluate(remember)
    const failing = (route: { abort(): Promise<void> }) => route.abort()
    await page.route(/cursor=/, failing)
    await house.go('/cases/main-29')
    await page.getByRole('button', { name: 'Could not load the next cases: try again' }).waitFor()
    await page.evaluate(remember)
    await page.unroute(/cursor=/, failing)
    // The page may have loaded them again by itself.
    await page
      .getByRole('button', { name: 'Could not load the next cases: try again' })
      .click({ timeout: 3_000 })
      .catch(() => undefined)
    await page.getByRole('link', { name: 'Next case' }).click()
    await page.getByRole('heading', { level: 1, name: /MAIN-28 / }).waitFor()
    await page.getByText('3 of 30').waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
  })

  it('says why more than 21 cases cannot be merged', async () => {
    const { page } = house
    await house.visit('/cases')
    await page.getByRole('checkbox', { name: 'Select main-30' }).click()
    await page.getByRole('checkbox', { name: 'Select main-29' }).click()
    const merge = toolbar().getByRole('button', { name: 'Merge …' })
    expect(await merge.isEnabled()).to.equal(true)
    await page.getByRole('grid').press('End')
    await page.getByRole('checkbox', { name: 'Select main-1', exact: true }).click({ modifiers: ['Shift'] })
    await toolbar().getByText('To merge, select at most 21 cases').waitFor()
    expect(await merge.isDisabled()).to.equal(true)
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'cases-merge-limit')
  })

  it('has a queue, my cases and overdue cases', async () => {
    const { page } = house
    await house.visit('/cases')
    await page.getByRole('link', { name: 'Mine' }).click()
    await page.getByRole('row', { name: /MAIN-3 / }).waitFor()
    expect(await page.getByRole('link', { name: 'Mine' }).getAttribute('aria-current')).to.equal('page')
    expect(await page.getByRole('row', { name: /MAIN-9 / }).count()).to.equal(0)
    await page.getByRole('link', { name: 'Queue' }).click()
    await page.getByRole('row', { name: /MAIN-8 / }).waitFor()
    const first = page.locator('[role=row][data-index="0"]')
    expect(await first.innerText()).to.contain('MAIN-8')
    await page.getByRole('button', { name: 'Clear Unassigned' }).click()
    await page.getByRole('row', { name: /MAIN-3 / }).waitFor()
    await page.getByRole('link', { name: 'Overdue' }).click()
    await page.getByText('No matching cases').waitFor()
  })

  it('shows the columns that the user chooses', async () => {
    const { page } = house
    await house.visit('/cases')
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('checkbox', { name: 'REASON' }).click()
    await page.getByRole('checkbox', { name: 'VERDICT' }).click()
    await page.getByRole('columnheader', { name: 'REASON' }).waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await page.keyboard.press('Escape')
    await page.reload()
    await page.getByRole('columnheader', { name: 'REASON' }).waitFor()
    expect(await page.getByRole('columnheader', { name: 'VERDICT' }).count()).to.equal(0)
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('button', { name: 'Default columns' }).click()
    await page.getByRole('columnheader', { name: 'VERDICT' }).waitFor()
  })

  it('changes all matching cases, also those that are not loaded, after a question', async () => {
    const { page, server } = house
    for (let n = 30; n < 105; n++) await house.postAlert('quiet', `{"n":${n}}`)
    await house.visit('/cases?active=true')
    await page.getByRole('row', { name: /MAIN-105/ }).waitFor()
    await page.getByRole('checkbox', { name: 'Select all loaded rows' }).click()
    await toolbar().getByRole('button', { name: 'Select all 105 matching' }).click()
    await toolbar().getByText('105 selected').waitFor()
    await toolbar().getByRole('button', { name: 'Severity' }).click()
    await page.getByRole('menuitem', { name: 'High' }).click()
    await page.getByText('severity will be high, also for matching cases').waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await page.getByRole('button', { name: 'Change 105 cases' }).click()
    await result().getByText('Changed 105 cases').waitFor()
    expect((await server.call('/cases?severity=high&limit=1')).body.total).to.equal(105)
    await result().getByRole('button', { name: 'Undo' }).click()
    await result().getByText('Restored 105 cases').waitFor()
    expect((await server.call('/cases?severity=high&limit=1')).body.total).to.equal(0)
  })

  for (const width of widths)
    it(`has no serious axe violations with selected cases at a width of ${width}, light and dark`, async () => {
      const { page } = house
      await page.setViewportSize({ width, height: 860 })
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await house.visit('/cases')
        await page.getByRole('checkbox', { name: 'Select main-105' }).click()
        await toolbar().waitFor()
        expect(await seriousFaults(page), colorScheme).to.deep.equal([])
        await picture(page, `${colorScheme}/cases-selected-${width}`)
      }
      await page.emulateMedia({ colorScheme: 'light' })
      await page.setViewportSize({ width: 1280, height: 860 })
    })
})

describe('a change of many cases in the page', () => {
  it('is offered the people of the organization of all its cases', () => {
    const chosen = (...ids: readonly string[]) =>
      organizationOf({ cases: ids.map((id) => ({ case_id: id, revision: 1 })) })
    expect(chosen('main-1', 'main-22')).to.equal('main')
    expect(chosen('north-2-1')).to.equal('north-2')
    expect(chosen('main-1', 'acme-1')).to.equal(undefined)
    expect(organizationOf({ filter: { organization: 'main' }, since: 1, total: 3 })).to.equal('main')
    expect(organizationOf({ filter: {}, since: 1, total: 3 })).to.equal(undefined)
  })

  it('is sent in pieces of 200', () => {
    const sizes = piecesOf(Array.from({ length: 450 }, (_, n) => n)).map((piece) => piece.length)
    expect(sizes).to.deep.equal([200, 200, 50])
    expect(piecesOf([])).to.deep.equal([])
  })

  it('is undone with the earlier values and the new revisions', () => {
    const done = (id: string, before: object | null, outcome = 'changed') =>
      ({ case_id: id, outcome, revision: 2, before, error: null }) as Parameters<
        typeof undoRequests
      >[0][number]
    expect(
      undoRequests([
        done('a', { status: 'open', closing_reason: null, resolution: '' }),
        done('b', { status: 'open', closing_reason: null, resolution: '' }),
        done('c', { status: 'in_progress', closing_reason: null }),
        done('d', { status: 'open' }, 'refused'),
        done('e', null, 'unchanged'),
      ]),
    ).to.deep.equal([
      {
        cases: [
          { case_id: 'a', revision: 2 },
          { case_id: 'b', revision: 2 },
        ],
        changes: { status: 'open' },
      },
      { cases: [{ case_id: 'c', revision: 2 }], changes: { status: 'in_progress' } },
    ])
  })
})

describe('rows from one to another', () => {
  it('are selected in either direction, and not if one is gone', () => {
    const ids = ['a', 'b', 'c', 'd']
    expect(rowsBetween(ids, 'b', 'd')).to.deep.equal(['b', 'c', 'd'])
    expect(rowsBetween(ids, 'd', 'b')).to.deep.equal(['b', 'c', 'd'])
    expect(rowsBetween(ids, undefined, 'b')).to.equal(undefined)
    expect(rowsBetween(ids, 'x', 'b')).to.equal(undefined)
  })
})

describe('a target of response times', () => {
  const minute = 60_000
  const times = {
    responded_at: null,
    respond_due_at: 15 * minute,
    resolve_due_at: 300 * minute,
    closed_at: null,
  }
  it('is due next if it is not met, and none is due for a closed case', () => {
    expect(nextTarget(times)).to.deep.equal({ name: 'Response', dueAt: 15 * minute, metAt: null })
    expect(nextTarget({ ...times, responded_at: 5 })?.name).to.equal('Closing')
    expect(nextTarget({ ...times, closed_at: 5 })).to.equal(undefined)
    expect(nextTarget({ ...times, respond_due_at: null, resolve_due_at: null })).to.equal(undefined)
  })

  it('is told with the time that is left or over', () => {
    const at = (now: number) => targetState({ name: 'Closing', dueAt: 300 * minute, metAt: null }, now)
    expect(at(0)).to.deep.equal(['5 h left', 'gray'])
    expect(at(290 * minute + 500)).to.deep.equal(['9 min left', 'orange'])
    expect(at(300 * minute - 40_000)).to.deep.equal(['40 s left', 'orange'])
    expect(at(300 * minute)).to.deep.equal(['0 s left', 'orange'])
    expect(at(425 * minute)).to.deep.equal(['2 h 5 min over', 'red'])
    expect(at(300 * minute + 3 * 86_400_000)).to.deep.equal(['3 d over', 'red'])
    const met = { name: 'Response', dueAt: 10, metAt: 10 } as const
    expect(targetState(met, 99)).to.deep.equal(['met', 'green'])
    expect(targetState({ ...met, metAt: 61_010 }, 99)).to.deep.equal(['missed by 1 min', 'red'])
  })
})

describe('neighbours in a list', () => {
  const list = JSON.stringify({ search: '?active=true', ids: ['main-3', 'main-2', 'main-1'] })
  it('are the cases before and after', () => {
    expect(neighboursOf('MAIN-2', list)).to.deep.equal({
      previous: 'main-3',
      next: 'main-1',
      position: 2,
      count: 3,
      list: '/cases?active=true',
      more: undefined,
    })
    expect(neighboursOf('main-1', list)?.next).to.equal(undefined)
  })

  it('are counted with those that are not loaded', () => {
    const counted = (total: unknown) =>
      neighboursOf('main-1', JSON.stringify({ search: '', ids: ['main-1', 'main-2'], total }))?.count
    expect([246, 1, undefined, -1, '7', null].map(counted)).to.deep.equal([246, 2, 2, 2, 2, 2])
  })

  it('of the last loaded case are requested with the filters of the list', () => {
    const part = JSON.stringify({ search: '?active=true', ids: ['main-3', 'main-2'], total: 4, cursor: 'c1' })
    expect(neighboursOf('main-3', part)?.more).to.equal(undefined)
    expect(neighboursOf('main-2', part)).to.deep.include({
      next: undefined,
      more: { active: 'true', cursor: 'c1' },
    })
    const page = { data: [{ case_id: 'main-2' }, { case_id: 'main-1' }], total: 3, next_cursor: null }
    const longer = extendedList(
      { search: '?active=true', ids: ['main-3', 'main-2'], total: 4, cursor: 'c1' },
      page,
    )
    expect(neighboursOf('main-2', JSON.stringify(longer))).to.deep.include({
      next: 'main-1',
      count: 3,
      more: undefined,
    })
    for (const cursor of [7, {}, ['c1']])
      expect(
        neighboursOf('main-1', JSON.stringify({ ids: ['main-1'], cursor }))?.more,
        JSON.stringify(cursor),
      ).to.equal(undefined)
  })

  it('are unknown for a case that is not in the list, and for anything else in the storage', () => {
    expect(neighboursOf('main-9', list)).to.equal(undefined)
    for (const text of [null, '', '{', '7', '[]', '{"ids":"main-1"}', '{"ids":[7]}'])
      expect(neighboursOf('main-1', text), text ?? 'null').to.equal(undefined)
    const odd = JSON.stringify({ search: 'javascript:alert(1)', ids: ['main-1'] })
    expect(neighboursOf('main-1', odd)?.list).to.equal('/cases')
  })
})

describe('chosen columns', () => {
  const columns = ['ID', 'A', 'B', 'C'].map((title) => ({
    title,
    width: '1fr',
    cell: () => null,
    ...(title === 'C' && { isOptional: true }),
    ...(title === 'B' && { isExtra: true }),
  }))
  const titles = (chosen: readonly string[] | null) => shownColumns(columns, chosen).map(({ title }) => title)
  it('are those of the storage, with the first one', () => {
    expect(titles(null)).to.deep.equal(['ID', 'A', 'B'])
    expect(titles(['C', 'B', 'gone', 'C', 'ID'])).to.deep.equal(['ID', 'C', 'B'])
    expect(titles([])).to.deep.equal(['ID'])
    expect(shownColumns(columns, ['B'])[1]?.isExtra).to.equal(false)
  })
  it('keep the buttons at the end', () => {
    const shown = shownColumns([...columns, { title: '' }], ['B', ''])
    expect(shown.map(({ title }) => title)).to.deep.equal(['ID', 'B', ''])
  })
  it('move by one place, and not beyond an edge', () => {
    expect(movedTitle(['A', 'B', 'C'], 'C', -1)).to.deep.equal(['A', 'C', 'B'])
    expect(movedTitle(['A', 'B', 'C'], 'A', 1)).to.deep.equal(['B', 'A', 'C'])
    for (const [title, by] of [
      ['A', -1],
      ['C', 1],
      ['gone', 1],
    ] as const)
      expect(movedTitle(['A', 'B', 'C'], title, by)).to.deep.equal(['A', 'B', 'C'])
  })
  it('are the default for anything else in the storage', () => {
    for (const text of [undefined, '', '{', '7', '[7]', '{}']) expect(readColumns(text)).to.equal(null)
    expect(readColumns('["A"]')).to.deep.equal(['A'])
  })
})
