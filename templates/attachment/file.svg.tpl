<svg xmlns="http://www.w3.org/2000/svg" width="48" height="48" viewBox="0 0 32 32">
  <path d="M7 3h12l6 6v20H7z" fill="#e8ebf0" stroke="#8a93a3" stroke-width="1.5" />
  <path d="M19 3v6h6M11 15h10M11 19h10M11 23h6" fill="none" stroke="#8a93a3" stroke-width="1.5" />
</svg>
