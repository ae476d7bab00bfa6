"""Statistics on arrays: numpy in, plain numbers out. No pandas, no names of the product."""
