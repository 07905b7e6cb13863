import { Button, Group, Stack } from '@mantine/core'
import { ArrowLeftIcon, DownloadIcon, FileTextIcon } from 'lucide-react'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from 'wouter'
import { addressOf, apiText } from '../../api/call.ts'
import { PageLoading } from '../../parts/layout.tsx'
import { MarkdownDocument } from '../../parts/markdown.tsx'
import { ViewError } from '../../shell/view.tsx'
import './report.css'

/** The report of a case, to read and to print. It stays as it was loaded. */
export default function ReportPage() {
  const { id } = useParams<{ id: string }>()
  const path = `/cases/${encodeURIComponent(id)}/export`
  const report = useQuery({
    queryKey: ['report', id],
    queryFn: ({ signal }) => apiText(path, { format: 'markdown' }, signal),
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
  if (report.isPending) return <PageLoading />
  if (report.isError) return <ViewError error={report.error} onRetry={() => void report.refetch()} />
  return (
    <Stack gap="var(--tocsin-gap)" className="report">
      <title>{`Report of ${id.toUpperCase()} · Tocsin`}</title>
      <Group gap="xs" className="not-printed">
        <Button
          component={Link}
          href={`/cases/${encodeURIComponent(id)}`}
          size="xs"
          variant="default"
          leftSection={<ArrowLeftIcon />}
        >
          Case
        </Button>
        <Button size="xs" leftSection={<FileTextIcon />} onClick={() => globalThis.print()}>
          Print or save as PDF
        </Button>
        <Download path={path} format="markdown" text="Markdown" name={`${id}.md`} />
        <Download path={path} format="json" text="JSON" name={`${id}.json`} />
      </Group>
      <MarkdownDocument text={report.data} />
    </Stack>
  )
}

interface DownloadProps {
  readonly path: string
  readonly format: 'markdown' | 'json'
  readonly text: string
  readonly name: string
}

function Download({ path, format, text, name }: DownloadProps) {
  return (
    <Button
      component="a"
      href={addressOf(path, { format })}
      download={name}
      size="xs"
      variant="default"
      leftSection={<DownloadIcon />}
    >
      {text}
    </Button>
  )
}
