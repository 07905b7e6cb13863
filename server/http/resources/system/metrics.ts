import { defineRoute } from '../../routing/route.ts'
import { requireWholeScope } from '../../caller/authenticate.ts'

const getMetrics = defineRoute({
  method: 'GET',
  path: '/metrics',
  outsidePrefix: true,
  access: 'engine:read',
  summary:
    'Metrics of the process in the text format of Prometheus. The API key must not be limited to organizations.',
  answer: { type: 'string' },
  isText: true,
  async handle({ caller }, { metrics, stores, clock }) {
    requireWholeScope(caller)
    return { text: await metrics.text(stores, clock.now()), type: 'text/plain; version=0.0.4; charset=utf-8' }
  },
})

export const metricsRoutes = [getMetrics]
