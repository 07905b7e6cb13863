import type { Page } from 'playwright-core'

/**
 * Publishes the text in the editor with a reason.
 *
 * @param action text of the button
 */
export async function publish(page: Page, action = 'Publish', reason = 'fewer questions'): Promise<void> {
  await page.getByRole('button', { name: action }).and(page.locator(':enabled')).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason').fill(reason)
  await dialog.getByRole('button', { name: action }).click()
}
