import { describeAlert } from '../../../../core/alert-source/index.ts'
import type { Alert } from '../../../../core/domain/alert.ts'
import { normalizeObservable, observableId } from '../../../../core/observable/normalize-observable.ts'
import type { OrganizationScope } from '../../../../core/ports/common.ts'
import type { Stores } from '../../../../core/ports/stores.ts'
import type { ObservableKind } from '../../../../core/plugin/index.ts'

interface Named {
  readonly kind: ObservableKind
  readonly value: string
}

/** The observables of an alert: those that its product declares, then those of the index; each with the number of cases that have it. */
export async function observablesInAlert(
  alert: Alert,
  scope: OrganizationScope,
  { observables }: Pick<Stores, 'observables'>,
): Promise<readonly (Named & { readonly cases: number })[]> {
  const found = new Map<string, Named>()
  for (const named of [...describeAlert(alert).observables, ...(await observables.ofAlert(alert.uuid))]) {
    const key = keyOf(named)
    if (!found.has(key)) found.set(key, named)
  }
  return await withCases([...found.values()], scope, observables)
}

const keyOf = ({ kind, value }: Named): string =>
  observableId(normalizeObservable(kind, value) ?? { kind, value })

/** Each with the number of cases in the scope that have it, as far as they are indexed. */
export async function withCases<T extends Named>(
  named: readonly T[],
  scope: OrganizationScope,
  observables: Stores['observables'],
): Promise<readonly (T & { readonly cases: number })[]> {
  const keys = named.map(({ kind, value }) => normalizeObservable(kind, value) ?? { kind, value })
  const cases = await observables.countCases(scope, keys)
  return named.map((each, index) => ({ ...each, cases: cases[index] ?? 0 }))
}
