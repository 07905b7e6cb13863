import { ActionIcon, Button, Group, Select, Text } from '@mantine/core'
import { Share2Icon, Trash2Icon } from 'lucide-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { apiCall, apiGet } from '../../api/call.ts'
import { useOrganization } from '../../api/lookups.ts'
import { ErrorAlert } from '../../parts/feedback.tsx'
import { OutsideText } from '../../parts/text-view.tsx'
import { useMay } from '../../session/session.ts'

interface SharedFilter {
  readonly filter_id: string
  readonly organization_code: string
  readonly name: string
  readonly search: string
}

interface SharedFiltersProps {
  readonly view: string
  readonly onOpen: () => void
}

/** Filters that others share, with a button to delete them. */
export function SharedFilters({ view, onOpen }: SharedFiltersProps) {
  const mayShare = useMay('cases:write')
  const queries = useQueryClient()
  const queryKey = ['shared-filters', view]
  const shared = useQuery({
    queryKey,
    queryFn: () => apiGet<{ readonly data: readonly SharedFilter[] }>('/shared-filters', { view }),
    staleTime: 0,
  })
  const remove = useMutation({
    mutationFn: (id: string) => apiCall('DELETE', `/shared-filters/${id}`),
    onSettled: () => void queries.invalidateQueries({ queryKey }),
  })
  const filters = shared.data?.data ?? []
  return (
    <>
      {shared.isError && <ErrorAlert error={shared.error} />}
      {filters.length > 0 && (
        <Text size="xs" c="dimmed">
          Shared
        </Text>
      )}
      {filters.map((filter) => (
        <Group key={filter.filter_id} gap={4} wrap="nowrap" justify="space-between">
          <Link href={`/${view}?${filter.search}`} className="row-link" onClick={onOpen}>
            <OutsideText span text={`${filter.name} · ${filter.organization_code}`} />
          </Link>
          {mayShare && (
            <ActionIcon
              size="sm"
              variant="subtle"
              color="gray"
              aria-label={`Delete shared ${filter.name}`}
              onClick={() => remove.mutate(filter.filter_id)}
            >
              <Trash2Icon />
            </ActionIcon>
          )}
        </Group>
      ))}
    </>
  )
}

interface ShareButtonProps {
  readonly view: string
  readonly name: string
  readonly search: string
  readonly onDone: () => void
}

/** Shares the filters of the list with an organization. */
export function ShareButton({ view, name, search, onDone }: ShareButtonProps) {
  const mayShare = useMay('cases:write')
  const queries = useQueryClient()
  const { code, isSingle, field } = useOrganization(useState<string | null>(null))
  const share = useMutation({
    mutationFn: () =>
      apiCall('POST', '/shared-filters', { body: { organization_code: code, view, name, search } }),
    onSuccess() {
      void queries.invalidateQueries({ queryKey: ['shared-filters', view] })
      onDone()
    },
  })
  if (!mayShare) return null
  return (
    <>
      {!isSingle && <Select size="xs" mt={6} {...field} comboboxProps={{ withinPortal: false }} />}
      {share.isError && <ErrorAlert error={share.error} />}
      <Button
        mt={6}
        size="xs"
        variant="default"
        fullWidth
        leftSection={<Share2Icon />}
        disabled={name === '' || code === undefined}
        loading={share.isPending}
        onClick={() => share.mutate()}
      >
        Share{code === undefined ? '' : ` with ${code}`}
      </Button>
    </>
  )
}
