/// <reference types="vite/client" />
/** The script of every page, and the style sheets that it imports. */
import './application.css'
