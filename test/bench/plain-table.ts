import type { Page } from 'playwright-core'

/** The fields of an alert that the list shows. */
interface Row {
  readonly alert_id: string
  readonly organization_code: string
  readonly alert_provider: string
  readonly alert_type: string | null
  readonly investigation_status: number
  readonly created_at: number
  readonly investigator: string | null
  readonly case_id: string | null
  readonly completed_at: number | null
  readonly content_preview: string | null
}

const style = `
body { margin: 16px; font: 13px system-ui }
.data-table { height: 700px; overflow: auto; border: 1px solid #ccc }
table { width: 100%; table-layout: fixed; border-collapse: collapse }
tr { height: 40px }
td { height: 39px; padding: 0 5px; border-bottom: 1px solid #eee; overflow: hidden; white-space: nowrap; text-overflow: ellipsis }
`

/**
 * Fills a page with the newest alerts as a plain table, without scripts: the best possible scrolling in this
 * browser.
 */
export async function showPlainTable(page: Page, apiUrl: string, key: string, count: number): Promise<void> {
  const rows: Row[] = []
  for (let cursor: string | null = ''; cursor !== null && rows.length < count;) {
    const url = new URL(`${apiUrl}/alerts?limit=200&content=preview`)
    if (cursor !== '') url.searchParams.set('cursor', cursor)
    // oxlint-disable-next-line no-await-in-loop -- each page begins where the one before ends
    const response = await fetch(url, { headers: { cookie: `Session=${key}` } })
    // oxlint-disable-next-line no-await-in-loop
    const body = (await response.json()) as {
      readonly data: readonly Row[]
      readonly next_cursor: string | null
    }
    rows.push(...body.data)
    cursor = body.next_cursor
  }
  const lines = rows.map((row) => `<tr>${cellsOf(row).map(cell).join('')}</tr>`)
  await page.setContent(
    `<style>${style}</style><div class="data-table"><table>${lines.join('\n')}</table></div>`,
  )
}

const cellsOf = (row: Row): readonly (string | number | null)[] => [
  row.alert_id.toUpperCase(),
  row.organization_code,
  row.alert_provider,
  row.alert_type,
  row.investigation_status,
  new Date(row.created_at).toISOString(),
  row.investigator,
  row.case_id,
  row.completed_at === null ? '' : new Date(row.completed_at).toISOString(),
  row.content_preview,
]

const cell = (value: string | number | null): string =>
  `<td>${String(value ?? '').replaceAll(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`)}</td>`
