import { Anchor, Button, Drawer, Group, Loader, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { get } from '../api/call.ts'
import type { Alert } from '../api/types.ts'
import { TextView } from '../parts/json/json-view.tsx'
import { Refusal } from '../parts/states/refusal.tsx'
import { showInvisible } from '../parts/json/show-invisible.ts'
import { AlertStatus } from '../parts/states/states.tsx'
import { Time } from '../parts/time/times.tsx'
import './content-drawer.css'

interface ContentDrawerProps {
  /** The row whose content is shown. Undefined: the drawer is closed. */
  readonly row: Alert | undefined
  readonly onClose: () => void
  /** Go to the row above and below; undefined where there is none. */
  readonly onPrevious: (() => void) | undefined
  readonly onNext: (() => void) | undefined
}

/** The content of one alert of the list, beside the list. */
export function ContentDrawer({ row, onClose, onPrevious, onNext }: ContentDrawerProps) {
  return (
    <Drawer
      opened={row !== undefined}
      onClose={onClose}
      position="right"
      className="content-drawer"
      size="min(720px, 92vw)"
      title={row && <DrawerTitle row={row} />}
      closeButtonProps={{ 'aria-label': 'Close' }}
      overlayProps={{ backgroundOpacity: 0.25 }}
      transitionProps={{ duration: 120 }}
    >
      {row !== undefined && (
        <Stack gap="sm">
          <Group justify="space-between">
            <Text size="sm" className="outside-text">
              {row.alert_type !== null && <b>{showInvisible(row.alert_type)}</b>} from {row.alert_provider},{' '}
              <Time at={row.created_at} ago />
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
    </Drawer>
  )
}

function DrawerTitle({ row: { alert_id: id, investigation_status: status } }: { readonly row: Alert }) {
  return (
    <Group gap="sm">
      <Anchor component={Link} href={`/alerts/${id}`} fw={650}>
        {id.toUpperCase()}
      </Anchor>
      <AlertStatus status={status} />
    </Group>
  )
}

function Content({ id }: { readonly id: string }) {
  const alert = useQuery({
    queryKey: ['alert', id],
    queryFn: ({ signal }) => get<Alert>(`/alerts/${encodeURIComponent(id)}`, {}, signal),
  })
  if (alert.isPending) return <Loader size="sm" aria-label="Loading" />
  if (alert.isLoadingError) return <Refusal error={alert.error} onRetry={() => void alert.refetch()} />
  return <TextView text={alert.data.alert_content ?? ''} label={`Content of ${id.toUpperCase()}`} />
}
