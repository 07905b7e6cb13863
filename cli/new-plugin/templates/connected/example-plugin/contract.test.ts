import { describePlugin } from 'tocsin/plugin/testing'
import plugin from './plugin.ts'
import sandbox from './sandbox.ts'

describePlugin(plugin, { folder: import.meta.dirname, sandbox })
