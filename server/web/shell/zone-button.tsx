import { Button, Text, Tooltip } from '@mantine/core'
import { serverTime } from '../parts/time/now.ts'
import { showTimesIn, useZone, zoneName } from '../parts/time/zone.ts'

/** Says in which time zone the page shows times, and turns to UTC and back. */
export function ZoneButton() {
  const zone = useZone()
  const here = zoneName('local', serverTime())
  const isUtc = zone === 'utc'
  const turn = isUtc ? `Show times as here (${here})` : 'Show times in UTC'
  const shown = isUtc ? 'UTC' : `Local, ${here}`
  return (
    <Tooltip label={turn}>
      <Button
        variant="default"
        h={34}
        size="xs"
        fw={400}
        px="xs"
        aria-label={`${shown}: the zone of all times. ${turn}`}
        onClick={() => showTimesIn(isUtc ? 'local' : 'utc')}
      >
        {isUtc ? (
          'UTC'
        ) : (
          <>
            Local
            <Text span inherit visibleFrom="sm">
              , {here}
            </Text>
          </>
        )}
      </Button>
    </Tooltip>
  )
}
