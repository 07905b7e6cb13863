import { Anchor, Button, Group, Loader, Stack, Text } from '@mantine/core'
import { useMounted } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { apiGet } from '../api/call.ts'
import type { ApiAlert } from '../api/types.ts'
import { SidePanel } from '../parts/dialog.tsx'
import { TextView } from '../parts/text-view.tsx'
import { ErrorAlert } from '../parts/feedback.tsx'
import { showInvisible } from '../parts/outside-text.ts'
import { AlertStatusBadge } from '../parts/states.tsx'
import { DateTime } from '../parts/times.tsx'
import './content-drawer.css'

interface ContentDrawerProps {
  /** The row whose content is shown. Undefined: the drawer is closed. */
  readonly row: ApiAlert | undefined
  readonly onClose: () => void
  /** The rows above and below; undefined at the ends of the list. */
  readonly onPrevious: (() => void) | undefined
  readonly onNext: (() => void) | undefined
}

/** The content of one alert, beside the list. */
export default function ContentDrawer({ row, onClose, onPrevious, onNext }: ContentDrawerProps) {
  // Opens after it is mounted: a drawer that is open from the start does not return the focus.
  const isMounted = useMounted()
  return (
    <SidePanel
      opened={isMounted && row !== undefined}
      onClose={onClose}
      className="content-drawer"
      size="min(720px, 92vw)"
      name={row === undefined ? 'Alert' : `Alert ${row.alert_id.toUpperCase()}`}
      title={row === undefined ? null : <DrawerTitle row={row} />}
    >
      {row !== undefined && (
        <Stack gap="sm">
          <Group justify="space-between">
            <Text size="sm" className="outside-text">
              {row.alert_type !== null && <b>{showInvisible(row.alert_type)}</b>} from {row.alert_provider},{' '}
              <DateTime at={row.created_at} ago />
            </Text>
            <Group gap={6}>
              <Button size="compact-sm" variant="default" disabled={!onPrevious} onClick={onPrevious}>
                Previous
              </Button>
              <Button data-autofocus size="compact-sm" variant="default" disabled={!onNext} onClick={onNext}>
                Next
              </Button>
            </Group>
          </Group>
          <Content key={row.alert_uuid} id={row.alert_id} />
        </Stack>
      )}
    </SidePanel>
  )
}

function DrawerTitle({ row: { alert_id: id, investigation_status: status } }: { readonly row: ApiAlert }) {
  return (
    <Group gap="sm">
      <Anchor component={Link} href={`/alerts/${id}`} fw={650}>
        {id.toUpperCase()}
      </Anchor>
      <AlertStatusBadge status={status} />
    </Group>
  )
}

function Content({ id }: { readonly id: string }) {
  const alert = useQuery({
    queryKey: ['alert', id],
    queryFn: ({ signal }) => apiGet<ApiAlert>(`/alerts/${encodeURIComponent(id)}`, {}, signal),
  })
  if (alert.isPending) return <Loader size="sm" role="img" aria-label="Loading" />
  if (alert.isLoadingError) return <ErrorAlert error={alert.error} onRetry={() => void alert.refetch()} />
  return <TextView text={alert.data.alert_content ?? ''} label={`Content of ${id.toUpperCase()}`} />
}
