import type { Locator } from 'playwright-core'
import { eventually } from '../../support/eventually.ts'

/** Waits until a field has this value, which may still be loading. */
export const hasValue = (field: Locator, value: string): Promise<true> =>
  eventually(
    `a field with the value '${value}'`,
    async () => (await field.inputValue()) === value || undefined,
  )
