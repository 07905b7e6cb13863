export interface Target {
  readonly label: string
  /** Address in the page. */
  readonly to: string
}

export interface TargetGroup {
  readonly label: string
  readonly targets: readonly Target[]
}

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i
const caseId = /^\w{1,32}-\d+$/
const alertId = /^\w{1,32}-\w{1,32}-\d+$/

/** Where what somebody typed may lead: ids are recognised by their form, all else is looked for in alerts. */
export function targetsOf(query: string): readonly Target[] {
  const text = query.trim()
  if (text === '') return []
  const found: Target[] = []
  if (alertId.test(text)) found.push({ label: `Alert ${text.toUpperCase()}`, to: `/alerts/${text}` })
  if (caseId.test(text)) found.push({ label: `Case ${text.toUpperCase()}`, to: `/cases/${text}` })
  if (uuid.test(text)) {
    found.push(
      { label: `Run ${text}`, to: `/runs/${text}` },
      { label: `Alert ${text}`, to: `/alerts/${text}` },
    )
  }
  const search = new URLSearchParams({ q: text }).toString()
  return [...found, { label: `Alerts with “${text}”`, to: `/alerts?${search}` }]
}

/** Each place once: what was recognised by its form is not listed again among what was found. */
export function withoutRepeats(groups: readonly TargetGroup[]): readonly TargetGroup[] {
  const seen = new Set<string>()
  return groups
    .map(({ label, targets }) => ({
      label,
      targets: targets.filter(({ to }) => !seen.has(to.toLowerCase()) && seen.add(to.toLowerCase())),
    }))
    .filter(({ targets }) => targets.length > 0)
}
