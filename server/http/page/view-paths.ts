/** First parts of the paths that the page shows, as its address bar has them (`server/web/views.ts`). */
export const viewPaths: ReadonlySet<string> = new Set([
  'alerts',
  'audit',
  'cases',
  'checkpoints',
  'connections',
  'health',
  'keys',
  'organizations',
  'playbooks',
  'providers',
  'runs',
])
