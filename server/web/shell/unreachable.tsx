import { Paper, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { get } from '../api/call.ts'
import { useSilentSince } from '../api/reached.ts'
import { wholeTime } from '../parts/time/time-texts.ts'
import { useZone, zoneName } from '../parts/time/zone.ts'

const askMs = 3_000

/** Says that what is shown is no longer renewed, and asks until the server is there again; then everything is asked for anew. */
export function Unreachable() {
  const since = useSilentSince()
  const queries = useQueryClient()
  const zone = useZone()
  useEffect(() => {
    if (since === undefined) return undefined
    const timer = setInterval(() => {
      get('/session').catch(() => undefined)
    }, askMs)
    return () => {
      clearInterval(timer)
      void queries.invalidateQueries()
    }
  }, [since, queries])
  return (
    <div role="status">
      {since !== undefined && (
        <Paper withBorder shadow="md" className="unreachable" px="md" py="xs">
          <Text size="sm" fw={600}>
            Tocsin does not answer since {wholeTime(since, zone)} {zoneName(zone, since)}
          </Text>
          <Text size="sm">
            What you see is as it was then. This page tries again by itself; what you typed stays.
          </Text>
        </Paper>
      )}
    </div>
  )
}
