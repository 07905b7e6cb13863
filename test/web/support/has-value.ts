import type { Locator } from 'playwright-core'
import { expect } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'

const patienceMs = 20_000

/** Waits until a field has a value: it may depend on what is still being loaded. */
export async function hasValue(field: Locator, value: string): Promise<void> {
  const end = performance.now() + patienceMs
  while ((await field.inputValue()) !== value && performance.now() < end) await sleep(20)
  expect(await field.inputValue()).to.equal(value)
}
