<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
  <rect width="32" height="32" rx="8" fill="#1f5fbf" />
  <path d="M9 24V8h14v3.6h-9.6v3.2h8.2v3.5h-8.2V24z" fill="#fff" />
</svg>
