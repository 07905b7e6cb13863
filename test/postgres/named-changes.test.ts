import { expect } from 'chai'
import type { Organization } from '../../core/domain/organization.ts'
import type { PostgresChanges } from '../../server/postgres/changes.ts'
import { newAlert, type OpenedStores } from '../contract/fixture.ts'
import { describePostgres } from '../support/postgres.ts'
import { somebody } from '../support/somebody.ts'
import { openTemporaryPostgresStores } from './support/stores.ts'

describePostgres('changes on PostgreSQL, for listeners that want to know few of them by id', () => {
  let opened: OpenedStores
  let acme: Organization
  let other: Organization
  const told: (string | undefined)[] = []

  before(async () => {
    opened = await openTemporaryPostgresStores({
      clock: { now: () => 5, monotonic: () => performance.now() },
    })
    const { organizations, providers } = opened.stores
    acme = await organizations.create({ code: 'Acme', name: 'Acme Ltd' }, somebody())
    other = await organizations.create({ code: 'Other', name: 'Other Ltd' }, somebody())
    await providers.create({ code: 'SIEM', name: 'The SIEM' }, somebody())
  })
  after(() => opened.dispose())

  const listen = (mostNamed?: number): (() => void) =>
    opened.stores.changes.listen(
      (changes) => {
        for (const { kind, organizationUuid, id } of changes)
          if (kind === 'alert')
            told.push(id() ?? `some of ${organizationUuid === acme.uuid ? 'Acme' : 'Other'}`)
      },
      mostNamed === undefined ? undefined : () => mostNamed,
    )
  const created = async (
    ...organizations: readonly Organization[]
  ): Promise<readonly (string | undefined)[]> => {
    await Promise.all(
      organizations.map((organization) => opened.stores.alerts.create(newAlert(organization))),
    )
    await (opened.stores.changes as PostgresChanges).idle()
    return told.splice(0).toSorted((one, next) => String(one).localeCompare(String(next)))
  }

  it('are named up to that number for each organization, and beyond it told once without an id', async () => {
    const stop = listen(2)
    expect(await created(acme, acme)).to.deep.equal(['Acme-SIEM-1', 'Acme-SIEM-2'])
    expect(await created(acme, acme, acme, other)).to.deep.equal(['Other-SIEM-1', 'some of Acme'])
    stop()
  })

  it('are all named as long as any listener wants that', async () => {
    const stops = [listen(2), listen()]
    expect(new Set(await created(acme, acme, acme))).to.deep.equal(
      new Set(['Acme-SIEM-6', 'Acme-SIEM-7', 'Acme-SIEM-8']),
    )
    for (const stop of stops) stop()
  })
})
