import type { Alert } from '../api/types.ts'
import { RowLink } from '../lists/table/row-link.tsx'
import { showInvisible } from '../parts/json/show-invisible.ts'
import { AlertStatus } from '../parts/states/states.tsx'
import { When } from '../parts/time/when.tsx'
import type { Column } from '../lists/table/column.ts'

/**
 * Exactly the columns of the specification, in its order; they fit into a window of 1280 pixels. Where the page is narrow, those
 * that the id says already stand behind the others, which fit into 820 pixels up to the time of completion.
 *
 * @param onPeek shows the content of an alert without leaving the list
 */
export function alertColumns(onPeek: (alert: Alert) => void, isNarrow: boolean): readonly Column<Alert>[] {
  const said: readonly Column<Alert>[] = [
    { title: 'ORG', width: 'minmax(44px, 0.4fr)', cell: (alert) => alert.organization_code },
    { title: 'PROVIDER', width: 'minmax(90px, 0.7fr)', cell: (alert) => alert.alert_provider },
  ]
  return [
    {
      title: 'ID',
      width: 'minmax(150px, 1.5fr)',
      cell: ({ alert_id: id }) => <RowLink href={`/alerts/${id}`} text={id.toUpperCase()} isMain />,
    },
    ...(isNarrow ? [] : said),
    {
      title: 'ALERT NAME',
      width: isNarrow ? 'minmax(78px, 1.4fr)' : 'minmax(104px, 1.4fr)',
      cell: ({ alert_type: type }) => type !== null && showInvisible(type),
    },
    {
      title: 'STATUS',
      width: isNarrow ? '86px' : '92px',
      sort: 'investigation_status',
      cell: (alert) => <AlertStatus status={alert.investigation_status} />,
    },
    {
      title: 'CREATION TIME',
      width: isNarrow ? '86px' : '94px',
      sort: 'created_at',
      cell: (alert) => <When at={alert.created_at} />,
    },
    {
      title: 'INVESTIGATOR',
      width: isNarrow ? 'minmax(90px, 1.4fr)' : 'minmax(98px, 1.4fr)',
      cell: (alert) => alert.investigator,
    },
    {
      title: 'CASE ID',
      width: 'minmax(66px, 0.8fr)',
      cell: ({ case_id: id }) => id !== null && <RowLink href={`/cases/${id}`} text={id.toUpperCase()} />,
    },
    {
      title: 'COMPLETION TIME',
      width: isNarrow ? '86px' : '94px',
      cell: (alert) => <When at={alert.completed_at} />,
    },
    {
      title: 'Content',
      width: 'minmax(94px, 1.6fr)',
      cell: (alert) => (
        <button
          type="button"
          className="row-peek data-table-text"
          tabIndex={-1}
          title="Show the content"
          onClick={() => onPeek(alert)}
        >
          {showInvisible(alert.content_preview ?? '')}
        </button>
      ),
    },
    ...(isNarrow ? said : []),
  ]
}
