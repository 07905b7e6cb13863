import { Button } from '@mantine/core'
import { useSearchParams } from 'wouter'

/** Leads to all that a list has, whatever stands in the address; nothing where nothing does. */
export function ClearFilters() {
  const [params, setParams] = useSearchParams()
  if (params.size === 0) return null
  return (
    <Button size="xs" variant="default" onClick={() => setParams(new URLSearchParams())}>
      Show all
    </Button>
  )
}
